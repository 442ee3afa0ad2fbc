"""The page: universes in a browser, as files that any host serves."""
