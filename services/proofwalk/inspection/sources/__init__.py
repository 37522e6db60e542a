"""Sources of collections that are not folders of this machine: repositories, sitemaps,
sites.

`repositories` copies what a repository holds into a folder, which is then read as any
folder is; `git_address` says which repositories may be asked, `git_program` runs git.
`web` collects pages by way of a sitemap or of a crawl, `web_pages` makes procedures of
them, `polite` asks for one page after the other as `robots.txt` lets it. What all of
them get is hostile: bounded in bytes, seconds and number, and parsed in processes of
its own.
"""
