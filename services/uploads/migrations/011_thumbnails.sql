-- What was found in an uploaded picture: null for what is none, or was not looked at.
ALTER TABLE attachments ADD COLUMN width integer, ADD COLUMN height integer, ADD COLUMN frames integer;

-- Small forms of pictures, made when they were first asked for. Where it could not be made there is no object.
CREATE TABLE thumbnails (
  attachment_id bigint NOT NULL REFERENCES attachments ON DELETE CASCADE,
  format text NOT NULL,
  object_key text,
  PRIMARY KEY (attachment_id, format)
);
