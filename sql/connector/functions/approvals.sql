-- Stores a client that registers itself. Of those that wait for an approval the oldest give way, so that no flood of
-- registrations keeps others out.
create or replace function connector.register_client(_id text, _name text, _redirect_uris text[], _max_waiting integer)
returns void language plpgsql as $$
begin
  delete from svc.oauth_client where id in (
    select id from svc.oauth_client where not is_approved order by used_at desc offset _max_waiting - 1
    for update skip locked);
  insert into svc.oauth_client (id, name, redirect_uris) values (_id, _name, _redirect_uris);
end $$;

create or replace function connector.find_client(_id text) returns table (name text, redirect_uris text[])
language sql stable as $$
  select c.name, c.redirect_uris from svc.oauth_client c where c.id = _id
$$;

-- Lets a client act for an account, and gives it a code. A client that the account has approved before stays the same
-- connector with what it has spent today, so that another approval never doubles a limit. `_key` is the hash of its key if it
-- gets one.
create or replace function connector.approve(_account uuid, _id uuid, _key bytea, _code bytea, _approval jsonb, _seconds integer)
returns void language plpgsql as $$
declare
  _scopes text[] := array(select jsonb_array_elements_text(_approval -> 'scopes'));
  _cap bigint := (_approval ->> 'dailyCapMicros')::bigint;
  _known svc.connector;
begin
  perform from svc.account where id = _account for no key update;
  select * into _known from svc.connector c
    where c.account_id = _account and c.client_id = _approval ->> 'clientId' and c.revoked_at is null for no key update;
  if _known.id is null then
    if (select count(*) from svc.connector c where c.account_id = _account and c.revoked_at is null) >= 100 then
      raise exception 'TOO_MANY_CONNECTORS' using errcode = 'SVC01', detail = '{"limit":100}';
    end if;
    insert into svc.api_key (hash, prefix, mode, account_id, name, daily_cap_micros, is_connector)
      select _key, _approval ->> 'prefix', case when a.is_test then 'test' else 'live' end, a.id, _approval ->> 'name', _cap, true
      from svc.account a where a.id = _account;
    insert into svc.connector (id, account_id, client_id, key_hash, redirect_host, scopes)
      values (_id, _account, _approval ->> 'clientId', _key, _approval ->> 'redirectHost', _scopes);
  else
    update svc.connector set scopes = _scopes, redirect_host = _approval ->> 'redirectHost', approved_at = now()
      where id = _known.id;
    update svc.api_key set daily_cap_micros = _cap, name = _approval ->> 'name' where hash = _known.key_hash;
  end if;
  insert into svc.oauth_code (hash, connector_id, family, redirect_uri, challenge, resource, scopes, expires_at)
    values (_code, coalesce(_known.id, _id), _id, _approval ->> 'redirectUri', _approval ->> 'challenge',
      _approval ->> 'resource', _scopes, now() + make_interval(secs => _seconds));
  update svc.oauth_client set is_approved = true, used_at = now() where id = _approval ->> 'clientId';
end $$;

-- What a connector can do: what it was last approved for, and what tokens of earlier approvals still allow.
create or replace function connector.list_scopes(_connector svc.connector) returns text[] language sql stable as $$
  select _connector.scopes || array(select unnest(t.scopes) from svc.oauth_token t
      where t.connector_id = _connector.id and t.used_at is null and t.expires_at > now()
    except select unnest(_connector.scopes) order by 1)
$$;

-- The connectors of an account, the latest approved first.
create or replace function connector.show(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', c.id, 'name', k.name, 'clientId', c.client_id, 'keyPrefix', k.prefix,
    'redirectHost', c.redirect_host, 'scopes', connector.list_scopes(c), 'createdAt', c.created_at, 'approvedAt', c.approved_at,
    'lastUsedAt', k.used_at, 'dailyCapMicros', k.daily_cap_micros::text,
    'spentTodayMicros', case when k.spent_on = (now() at time zone 'utc')::date then k.spent_micros else 0 end::text)
    order by c.approved_at desc, c.id), '[]')
  from svc.connector c join svc.api_key k on k.hash = c.key_hash
  where c.account_id = _account and c.revoked_at is null
$$;

-- Sets what a connector may spend in a day; null is no limit.
create or replace function connector.limit(_account uuid, _id uuid, _daily_cap bigint) returns void language plpgsql as $$
begin
  update svc.api_key k set daily_cap_micros = _daily_cap from svc.connector c
    where c.id = _id and c.account_id = _account and c.revoked_at is null and k.hash = c.key_hash;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

-- Ends a connector and everything that it was given.
create or replace function connector.revoke(_account uuid, _id uuid) returns void language plpgsql as $$
begin
  update svc.connector set revoked_at = now() where id = _id and account_id = _account and revoked_at is null;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  update svc.api_key k set revoked_at = now() from svc.connector c where c.id = _id and k.hash = c.key_hash;
  delete from svc.oauth_code where connector_id = _id;
  delete from svc.oauth_token where connector_id = _id;
  perform pg_notify('changed', 'key');
end $$;

-- Deletes what has expired, and clients that nobody has approved within a week or that had no token for three months. A used
-- code is kept for a day, so that its reuse is noticed. Returns how many rows it has deleted.
create or replace function connector.forget_expired(_limit integer) returns integer language plpgsql as $$
declare
  _deleted integer;
  _total integer;
begin
  delete from svc.oauth_token where hash in (
    select hash from svc.oauth_token where expires_at < now() order by expires_at limit _limit for update skip locked);
  get diagnostics _total = row_count;
  delete from svc.oauth_code where hash in (
    select hash from svc.oauth_code where expires_at < now() - interval '1 day' limit _limit for update skip locked);
  get diagnostics _deleted = row_count;
  _total := _total + _deleted;
  delete from svc.oauth_client where id in (
    select id from svc.oauth_client where (not is_approved and used_at < now() - interval '7 days')
      or (is_approved and used_at < now() - interval '90 days') limit _limit for update skip locked);
  get diagnostics _deleted = row_count;
  return _total + _deleted;
end $$;

-- Lists every violated rule of the connectors; no rows means that they are in order.
create or replace function connector.check_invariants() returns table (rule text, subject text) language sql stable as $$
  select 'a connector has a key of its own account', c.id::text
    from svc.connector c join svc.api_key k on k.hash = c.key_hash where not k.is_connector or k.account_id <> c.account_id
  union all
  select 'a connector and its key end together', c.id::text
    from svc.connector c join svc.api_key k on k.hash = c.key_hash
    where (c.revoked_at is null) <> (k.revoked_at is null)
  union all
  select 'what is revoked has no tokens', c.id::text
    from svc.connector c where c.revoked_at is not null and exists (select from svc.oauth_token t where t.connector_id = c.id)
  union all
  select 'an approval has one refresh token that is not used', t.family::text
    from svc.oauth_token t where t.kind = 'refresh' and t.used_at is null group by t.family having count(*) > 1
  union all
  select 'a code that is not used has no tokens', t.family::text
    from svc.oauth_token t join svc.oauth_code o on o.family = t.family and o.used_at is null
$$;
