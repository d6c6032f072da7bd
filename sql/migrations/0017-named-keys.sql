-- An account has several keys, each with a name. A key that was replaced may work on for some time; what is spent with it
-- counts on its successor, so that a rotation never doubles a limit.
alter table svc.api_key
  add column name text,
  add column used_at timestamptz,
  add column ends_at timestamptz,
  add column successor bytea references svc.api_key;

-- When its owner last signed in, and whether the next new sign-in becomes its owner.
alter table svc.account
  add column signed_in_at timestamptz,
  add column awaits_owner boolean not null default false;
update svc.account a set signed_in_at = created_at
  where exists (select from svc.identity i where i.account_id = a.id);
create index account_awaiting on svc.account (id) where awaits_owner;
