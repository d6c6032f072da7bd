-- A connector is locked before its codes and tokens, so that what is issued at the moment of its revocation ends with it.

-- Exchanges a code for tokens. Returns the granted scopes, or why not. A code that comes again has been stolen from one of
-- its two bearers, so all tokens of its approval end.
create or replace function connector.redeem_code(_code bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer,
  _refresh_seconds integer) returns json language plpgsql as $$
declare
  _found svc.oauth_code;
  _connector svc.connector;
begin
  select c.* into _connector from svc.connector c join svc.oauth_code o on o.connector_id = c.id where o.hash = _code for share of c;
  select * into _found from svc.oauth_code where hash = _code for no key update;
  if _found.hash is null or _connector.client_id is distinct from _request ->> 'clientId' then
    return '{"refusal":"unknown"}';
  elsif _found.used_at is not null then
    perform connector.end_family(_found.family);
    return '{"refusal":"reused"}';
  elsif _found.expires_at <= now() then
    return '{"refusal":"expired"}';
  elsif _found.challenge is distinct from _request ->> 'challenge' then
    return '{"refusal":"verifier"}';
  elsif _found.redirect_uri <> coalesce(_request ->> 'redirectUri', _found.redirect_uri) then
    return '{"refusal":"redirect"}';
  elsif _found.resource <> coalesce(_request ->> 'resource', _found.resource) then
    return '{"refusal":"target"}';
  end if;
  update svc.oauth_code set used_at = now() where hash = _code;
  perform connector.add_token(_access, 'access', _connector, _found.family, _found.resource, _found.scopes, _access_seconds);
  perform connector.add_token(_refresh, 'refresh', _connector, _found.family, _found.resource, _found.scopes, _refresh_seconds);
  return json_build_object('scopes', _found.scopes);
end $$;

-- Exchanges a refresh token for another one and an access token, which may have fewer scopes. A refresh token that comes
-- again ends all tokens of its approval.
create or replace function connector.refresh(_token bytea, _request jsonb, _access bytea, _refresh bytea, _access_seconds integer,
  _refresh_seconds integer) returns json language plpgsql as $$
declare
  _found svc.oauth_token;
  _connector svc.connector;
  _scopes text[];
begin
  select c.* into _connector from svc.connector c join svc.oauth_token t on t.connector_id = c.id where t.hash = _token for share of c;
  select * into _found from svc.oauth_token where hash = _token and kind = 'refresh' for no key update;
  _scopes := case when jsonb_typeof(_request -> 'scopes') = 'array'
    then array(select jsonb_array_elements_text(_request -> 'scopes')) else _found.scopes end;
  if _found.hash is null or _connector.client_id is distinct from _request ->> 'clientId' then
    return '{"refusal":"unknown"}';
  elsif _found.used_at is not null then
    perform connector.end_family(_found.family);
    return '{"refusal":"reused"}';
  elsif _found.expires_at <= now() then
    return '{"refusal":"expired"}';
  elsif _found.resource <> coalesce(_request ->> 'resource', _found.resource) then
    return '{"refusal":"target"}';
  elsif not _scopes <@ _found.scopes then
    return '{"refusal":"scope"}';
  end if;
  update svc.oauth_token set used_at = now() where hash = _token;
  perform connector.add_token(_access, 'access', _connector, _found.family, _found.resource, _scopes, _access_seconds);
  perform connector.add_token(_refresh, 'refresh', _connector, _found.family, _found.resource, _found.scopes, _refresh_seconds);
  return json_build_object('scopes', _scopes);
end $$;

create or replace function connector.add_token(_hash bytea, _kind text, _connector svc.connector, _family uuid, _resource text,
  _scopes text[], _seconds integer) returns void language sql as $$
  insert into svc.oauth_token (hash, kind, connector_id, family, resource, scopes, expires_at)
    values (_hash, _kind, _connector.id, _family, _resource, _scopes, now() + make_interval(secs => _seconds));
  update svc.oauth_client set used_at = now() where id = _connector.client_id
$$;

create or replace function connector.end_family(_family uuid) returns void language plpgsql as $$
begin
  delete from svc.oauth_token where family = _family;
  if found then
    perform pg_notify('changed', 'key');
  end if;
end $$;

-- Ends a token at its client's wish; with a refresh token, all of its approval. What another client sends ends nothing.
create or replace function connector.revoke_token(_hash bytea, _client text) returns void language plpgsql as $$
declare
  _found svc.oauth_token;
begin
  perform from svc.connector c join svc.oauth_token t on t.connector_id = c.id
    where t.hash = _hash and c.client_id = _client for no key update of c;
  if not found then
    return;
  end if;
  select * into _found from svc.oauth_token where hash = _hash;
  if _found.kind = 'refresh' then
    perform connector.end_family(_found.family);
  elsif _found.kind = 'access' then
    delete from svc.oauth_token where hash = _hash;
    perform pg_notify('changed', 'key');
  end if;
end $$;

-- For whom and for what an access token is; notes the use, to the minute.
create or replace function connector.use_token(_hash bytea)
returns table (account_id uuid, is_suspended boolean, mode text, prefix text, key_hash bytea, scopes text[], resource text,
  expires_at timestamptz) language plpgsql as $$
begin
  update svc.api_key k set used_at = now() where k.hash = (
    select used.hash from svc.oauth_token t join svc.connector c on c.id = t.connector_id join svc.api_key used on used.hash = c.key_hash
    where t.hash = _hash and coalesce(used.used_at, '-infinity') < now() - interval '1 minute'
    for no key update of used skip locked);
  return query select c.account_id, a.suspended_at is not null, k.mode, k.prefix, k.hash, t.scopes, t.resource, t.expires_at
    from svc.oauth_token t join svc.connector c on c.id = t.connector_id
      join svc.api_key k on k.hash = c.key_hash join svc.account a on a.id = c.account_id
    where t.hash = _hash and t.kind = 'access' and t.expires_at > now() and c.revoked_at is null;
end $$;
