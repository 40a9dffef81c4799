-- What turns `#12` into a link, as identity has it: [{pattern, url_template}] in the order in which they are tried.
ALTER TABLE realms ADD COLUMN linkifiers jsonb NOT NULL DEFAULT '[]';
