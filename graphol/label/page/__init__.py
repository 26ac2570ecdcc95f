"""The page to label on: its files, the JSON interface, who gets in, and the server."""
