-- E-mail domains from which people may join an organization: lower case, internationalised ones in ASCII.
CREATE TABLE realm_domains (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  realm_id bigint NOT NULL,
  domain text NOT NULL,
  allow_subdomains boolean NOT NULL,
  UNIQUE (realm_id, domain)
);
