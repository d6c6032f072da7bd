-- Decision 0710. What is linked to an account has an id, and tells since when and when it last served.
alter table svc.identity add column id uuid not null default gen_random_uuid(), add column used_at timestamptz;
alter table svc.wallet add column linked_at timestamptz not null default now(), add column used_at timestamptz;
update svc.wallet set linked_at = created_at;

-- What the session was opened by: a kind and an address or subject. It ends when that is unlinked.
alter table svc.session add column opened_by text;
