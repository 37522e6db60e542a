"""What a sentence of a document asks for, before anybody has looked at a page."""
