"""How far a ranking can be trusted, and the sentences that say so."""
