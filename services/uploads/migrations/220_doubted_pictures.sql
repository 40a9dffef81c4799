-- Pictures that are shown although it is not certain that whose they are was told of them.
ALTER TABLE public_images ADD COLUMN doubted_since timestamptz;
CREATE INDEX public_images_doubted ON public_images (doubted_since) WHERE doubted_since IS NOT NULL;
