"""How a judge is asked: templates, and what is put into them."""
