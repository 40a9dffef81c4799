-- What uploads under way will take counts towards the organization's quota.
CREATE INDEX resumable_uploads_promised ON resumable_uploads (realm_id) WHERE finished_at IS NULL OR path_id IS NULL;
