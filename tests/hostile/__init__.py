"""Every reader of the product on files of which one field is nasty: only our errors come out, within bounds."""
