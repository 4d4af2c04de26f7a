"""Do the answers follow one ranking, and if not, do they run in cycles?"""
