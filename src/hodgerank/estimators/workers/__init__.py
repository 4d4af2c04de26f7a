"""Who answers how: honesty, agreement with the others, position bias, and what is said of it."""
