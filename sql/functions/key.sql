create or replace function key.create(_hash bytea, _prefix text, _mode text, _account uuid) returns void
language plpgsql as $$
begin
  perform from svc.account where id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  insert into svc.api_key (hash, prefix, mode, account_id) values (_hash, _prefix, _mode, _account);
end $$;

create or replace function key.find(_hash bytea)
returns table (account_id uuid, prefix text, mode text, is_suspended boolean) language sql stable as $$
  select k.account_id, k.prefix, k.mode, a.suspended_at is not null
  from svc.api_key k join svc.account a on a.id = k.account_id
  where k.hash = _hash and k.revoked_at is null
$$;

create or replace function key.list(_account uuid)
returns table (prefix text, mode text, created_at timestamptz) language sql stable as $$
  select k.prefix, k.mode, k.created_at from svc.api_key k
  where k.account_id = _account and k.revoked_at is null order by k.created_at
$$;

create or replace function key.revoke(_account uuid, _prefix text) returns void language plpgsql as $$
begin
  update svc.api_key set revoked_at = now() where account_id = _account and prefix = _prefix and revoked_at is null;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('changed', 'key');
end $$;
