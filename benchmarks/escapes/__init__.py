"""Does anything that a page tries get past a sandbox's wall?"""
