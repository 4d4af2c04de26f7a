"""What studies by comparative judgement report: separation, split halves, misfit, agreement."""
