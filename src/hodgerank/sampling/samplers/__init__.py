"""The samplers that users build: items, options, and a design."""
