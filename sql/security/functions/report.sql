-- Decision 0572: whoever has the whole of a key can end it.

-- Takes reports of leaked keys: `hash` of those that are whole, else `prefix`. What is no key of ours, or none that still works,
-- changes nothing. Keys are locked after their accounts, as everywhere. Returns how many were revoked.
create or replace function security.report_keys(_reports json) returns integer language plpgsql as $$
declare
  _found record;
  _revoked integer := 0;
begin
  for _found in
    select k.hash, k.prefix, k.account_id, r.hash is not null as is_whole, left(r.found_at, 500) as found_at
    from json_to_recordset(_reports) as r (hash text, prefix text, found_at text)
    join svc.api_key k on k.hash = decode(r.hash, 'hex') or (r.hash is null and k.prefix = r.prefix)
    where key.is_valid(k) order by k.account_id, k.hash
  loop
    if _found.is_whole then
      _revoked := _revoked + security.revoke_leaked(_found.account_id, _found.hash, _found.prefix, _found.found_at);
    else
      perform notification.tell_owner(_found.account_id, 'security.prefix_reported', _found.prefix,
        jsonb_build_object('prefix', _found.prefix));
    end if;
  end loop;
  return _revoked;
end $$;

-- Returns 0 if it was revoked meanwhile, so that its owner is told once.
create or replace function security.revoke_leaked(_account uuid, _hash bytea, _prefix text, _found_at text) returns integer
language plpgsql as $$
declare
  _facts jsonb := jsonb_build_object('prefix', _prefix, 'foundAt', _found_at);
begin
  perform from svc.account where id = _account for no key update;
  update svc.api_key set revoked_at = now() where hash = _hash and revoked_at is null;
  if not found then
    return 0;
  end if;
  perform pg_notify('changed', 'key');
  perform audit.append('account', _account, _account, 'report', 'key_revoked', _facts);
  perform webhook.emit(array[row(_account, null, 'account.key_revoked', null, _facts)::svc.webhook_emission]);
  perform notification.tell_owner(_account, 'security.key_revoked', _prefix, _facts);
  return 1;
end $$;
