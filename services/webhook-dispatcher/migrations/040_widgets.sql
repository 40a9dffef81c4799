-- JSON text of the widget that a reply shows, as the receiver gave it.
ALTER TABLE posts ADD COLUMN widget_content text;
