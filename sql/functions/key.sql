create or replace function key.create(_hash bytea, _prefix text, _mode text, _account uuid, _name text, _call_cap bigint,
  _daily_cap bigint) returns void language plpgsql as $$
begin
  perform from svc.account where id = _account and erased_at is null for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform key.require_room(_account);
  insert into svc.api_key (hash, prefix, mode, account_id, name, call_cap_micros, daily_cap_micros)
    values (_hash, _prefix, _mode, _account, _name, _call_cap, _daily_cap);
end $$;

-- An account has at most fifty keys. Its row must be locked.
create or replace function key.require_room(_account uuid) returns void language plpgsql stable as $$
begin
  if (select count(*) from svc.api_key k where k.account_id = _account and key.is_valid(k)) >= 50 then
    raise exception 'TOO_MANY_KEYS' using errcode = 'SVC01', detail = '{"limit":50}';
  end if;
end $$;

-- The key of a connector only counts what it spends.
create or replace function key.is_valid(_key svc.api_key) returns boolean language sql stable as $$
  select _key.revoked_at is null and (_key.ends_at is null or _key.ends_at > now()) and not _key.is_connector
$$;

create or replace function key.revoke(_account uuid, _prefix text) returns void language plpgsql as $$
begin
  update svc.api_key set revoked_at = now()
    where account_id = _account and prefix = _prefix and revoked_at is null and not is_connector;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('changed', 'key');
end $$;

-- The owner of a key. `is_capped` is read by processes of the deploy before this one.
create or replace function key.find_owner(_hash bytea)
returns table (account_id uuid, prefix text, mode text, is_suspended boolean, is_capped boolean) language sql stable as $$
  select k.account_id, k.prefix, k.mode, a.suspended_at is not null, coalesce(k.call_cap_micros, k.daily_cap_micros) is not null
  from svc.api_key k join svc.account a on a.id = k.account_id
  where k.hash = _hash and key.is_valid(k)
$$;

-- The owner of a key with which a call is made; notes the use, to the minute. A key that a commit has locked is noted at its
-- next use.
create or replace function key.use(_hash bytea)
returns table (account_id uuid, prefix text, mode text, is_suspended boolean, ends_at timestamptz) language plpgsql as $$
begin
  update svc.api_key k set used_at = now() where k.hash = (
    select used.hash from svc.api_key used where used.hash = _hash
      and coalesce(used.used_at, '-infinity') < now() - interval '1 minute' for no key update skip locked);
  return query select k.account_id, k.prefix, k.mode, a.suspended_at is not null, k.ends_at
    from svc.api_key k join svc.account a on a.id = k.account_id
    where k.hash = _hash and key.is_valid(k);
end $$;

-- The keys of an account with their limits, the newest first; those that were replaced and still work come last.
create or replace function key.show(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('prefix', k.prefix, 'name', k.name, 'mode', k.mode, 'createdAt', k.created_at,
    'lastUsedAt', k.used_at, 'endsAt', k.ends_at,
    'callCapMicros', k.call_cap_micros::text, 'dailyCapMicros', k.daily_cap_micros::text,
    'spentTodayMicros', case when k.spent_on = (now() at time zone 'utc')::date then k.spent_micros else 0 end::text)
    order by k.ends_at nulls first, k.created_at desc, k.prefix), '[]')
  from svc.api_key k where k.account_id = _account and key.is_valid(k)
$$;

-- The keys and connectors that an account ever had, the newest first: its ledger names them.
create or replace function key.list_names(_account uuid) returns table (prefix text, name text, is_valid boolean)
language sql stable as $$
  select k.prefix, k.name, key.is_valid(k) or (k.is_connector and k.revoked_at is null) from svc.api_key k where k.account_id = _account
  order by k.created_at desc, k.prefix limit 200
$$;

-- Replaces a key by a new one, which inherits its name, its limits and what it has spent today. The old key works on for some
-- hours, if any. With no old key, it creates the account's first one.
create or replace function key.rotate(_account uuid, _old text, _hash bytea, _prefix text, _mode text, _grace_hours integer)
returns void language plpgsql as $$
declare
  _former svc.api_key;
begin
  perform from svc.account where id = _account for no key update;
  if _old is not null then
    select * into _former from svc.api_key k
      where k.account_id = _account and k.prefix = _old and k.revoked_at is null and k.ends_at is null and not k.is_connector
      for no key update;
  end if;
  if _former.hash is null and (_old is not null
      or exists (select from svc.api_key where account_id = _account and revoked_at is null and ends_at is null
        and not is_connector)) then
    raise exception 'KEY_NOT_CURRENT' using errcode = 'SVC01', detail = coalesce(key.current_hint(_account), '{}');
  end if;
  if _grace_hours > 0 then
    perform key.require_room(_account);
  end if;
  insert into svc.api_key (hash, prefix, mode, account_id, name, call_cap_micros, daily_cap_micros, spent_on, spent_micros)
    values (_hash, _prefix, _mode, _account, _former.name, _former.call_cap_micros, _former.daily_cap_micros,
      _former.spent_on, coalesce(_former.spent_micros, 0));
  update svc.api_key set successor = _hash where account_id = _account and (hash = _former.hash or successor = _former.hash);
  update svc.api_key set ends_at = now() + make_interval(hours => _grace_hours),
    revoked_at = case when _grace_hours = 0 then now() end where hash = _former.hash;
  perform pg_notify('changed', 'key');
end $$;

-- Revokes a key. If it is not current any more, the problem names the one that is; NOT_FOUND means that the account has none.
create or replace function key.drop(_account uuid, _prefix text) returns void language plpgsql as $$
declare
  _hint text;
begin
  update svc.api_key set revoked_at = now()
    where account_id = _account and prefix = _prefix and revoked_at is null and not is_connector;
  if not found then
    _hint := key.current_hint(_account);
    if _hint is null then
      raise exception 'NOT_FOUND' using errcode = 'SVC01';
    end if;
    raise exception 'KEY_NOT_CURRENT' using errcode = 'SVC01', detail = _hint;
  end if;
  perform pg_notify('changed', 'key');
end $$;

create or replace function key.current_hint(_account uuid) returns text language sql stable as $$
  select json_build_object('currentPrefix', k.prefix)::text from svc.api_key k
  where k.account_id = _account and k.revoked_at is null and k.ends_at is null and not k.is_connector
  order by k.created_at desc, k.prefix limit 1
$$;

-- Changes the name or the limits of a key; what `_change` does not name stays.
create or replace function key.change(_account uuid, _prefix text, _change jsonb) returns void language plpgsql as $$
begin
  update svc.api_key k set
    name = case when _change ? 'name' then _change ->> 'name' else k.name end,
    call_cap_micros = case when _change ? 'callCapMicros' then (_change ->> 'callCapMicros')::bigint else k.call_cap_micros end,
    daily_cap_micros = case when _change ? 'dailyCapMicros' then (_change ->> 'dailyCapMicros')::bigint
      else k.daily_cap_micros end
    where k.account_id = _account and k.prefix = _prefix and k.revoked_at is null and k.ends_at is null and not k.is_connector;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('changed', 'key');
end $$;

-- The key on which the calls of a key count: itself, or the one that replaced it.
create or replace function key.find_counted(_hash bytea) returns bytea language sql stable as $$
  select coalesce(successor, hash) from svc.api_key where hash = _hash
$$;

-- Refuses a key with limits, its own or those of the key that replaced it, what would let it escape them.
create or replace function key.require_unlimited(_hash bytea) returns void language plpgsql stable as $$
begin
  if exists (select from svc.api_key k where k.hash in (_hash, key.find_counted(_hash))
      and coalesce(k.call_cap_micros, k.daily_cap_micros) is not null) then
    raise exception 'FORBIDDEN' using errcode = 'SVC01',
      detail = '{"reason":"A key with limits cannot do this. Sign in to the dashboard, or use a key without limits."}';
  end if;
end $$;

-- Counts what a key spends against its limits. Returns the limit that would be exceeded, or null. The key's account must be
-- locked, so that keys need no lock order of their own. `_call_micros` is the whole price of the call.
create or replace function key.spend(_hash bytea, _micros bigint, _call_micros bigint) returns json language plpgsql as $$
declare
  _key svc.api_key;
  _today date := (now() at time zone 'utc')::date;
  _spent bigint;
begin
  select * into _key from svc.api_key where hash = key.find_counted(_hash) for no key update;
  if not found then
    return null;
  end if;
  _spent := case when _key.spent_on = _today then _key.spent_micros else 0 end;
  if _call_micros > _key.call_cap_micros then
    return json_build_object('limit', 'call', 'capMicros', _key.call_cap_micros::text, 'amountMicros', _call_micros::text);
  elsif _spent + _micros > _key.daily_cap_micros then
    return json_build_object('limit', 'day', 'capMicros', _key.daily_cap_micros::text, 'amountMicros', _call_micros::text,
      'spentMicros', _spent::text, 'resetsAt', (_today + 1)::timestamp at time zone 'utc');
  end if;
  update svc.api_key set spent_on = _today, spent_micros = _spent + _micros where hash = _key.hash;
  return null;
end $$;

-- Counts what the calls of a batch spend. Returns false and counts nothing useful if one of their keys has limits, because
-- then each call must be decided on by itself: the caller rolls back.
create or replace function key.spend_unlimited(_calls svc.call[]) returns boolean language plpgsql as $$
declare
  _keys bigint;
  _counted bigint;
begin
  with spent as (
    select coalesce(used.successor, used.hash) as hash, sum(c.amount_micros)::bigint as micros
    from unnest(_calls) c join svc.api_key used on used.hash = c.key_hash group by 1),
  counted as (
    update svc.api_key k set spent_on = (now() at time zone 'utc')::date, spent_micros = spent.micros
      + case when k.spent_on = (now() at time zone 'utc')::date then k.spent_micros else 0 end
    from spent where k.hash = spent.hash and k.call_cap_micros is null and k.daily_cap_micros is null
    returning 1)
  select (select count(*) from spent), (select count(*) from counted) into _keys, _counted;
  return _counted = _keys;
end $$;

-- Gives a key back what was held and not charged, on the day for which it was counted.
create or replace function key.unspend(_ended svc.job[]) returns void language sql as $$
  update svc.api_key k set spent_micros = greatest(0, k.spent_micros - back.micros)
  from (
    select coalesce(used.successor, used.hash) as hash, (e.created_at at time zone 'utc')::date as day,
      sum(e.held_micros - e.charged_micros) as micros
    from unnest(_ended) e join svc.api_key used on used.hash = e.key_hash group by 1, 2) back
  where k.hash = back.hash and k.spent_on = back.day and back.micros > 0
$$;

-- Former names. Processes of the deploy before this one still call them; the next deploy runs:
-- drop function if exists key.create(bytea, text, text, uuid), key.list(uuid), key.limit(uuid, text, bigint, bigint),
--   key.rotate(uuid, text, bytea, text, text);
