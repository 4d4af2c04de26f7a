"""Statistics of comparative judgement: separation, split halves, misfit and agreement."""
