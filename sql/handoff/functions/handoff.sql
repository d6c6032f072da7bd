-- Decision 0093: hand off storage leases, and bound what arrives.

-- Lets whoever has a link take the content of a storage lease.
create or replace function handoff.issue(_account uuid, _id uuid, _handoff json) returns json language plpgsql as $$
declare
  _lease svc.lease;
  _made svc.handoff;
begin
  select * into _lease from svc.lease l where l.id = _id for no key update;
  perform lease.require_usable(_lease, _account);
  if _lease.kind <> 'storage' then
    raise exception 'HANDOFF_UNSUPPORTED_LEASE' using errcode = 'SVC01',
      detail = json_build_object('kind', _lease.kind, 'supported', json_build_array('storage'))::text;
  elsif _lease.delete_on_claim and (_handoff ->> 'max_claims')::integer > 1 then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01', detail = json_build_object('field', 'max_claims', 'max', 1,
      'reason', 'The lease is deleted when it is claimed.')::text;
  end if;
  insert into svc.handoff (id, account_id, lease_id, token_hash, expires_at, max_claims, pin_hash, wallet, email, note)
    values ((_handoff ->> 'id')::uuid, _account, _lease.id, decode(_handoff ->> 'token', 'hex'),
      least(now() + make_interval(secs => (_handoff ->> 'seconds')::integer), _lease.expires_at),
      (_handoff ->> 'max_claims')::integer, decode(_handoff ->> 'pin', 'hex'), _handoff ->> 'wallet', _handoff ->> 'email',
      _handoff ->> 'note') returning * into _made;
  perform audit.append('handoff', _made.id, _account, 'owner', 'issued', jsonb_build_object('max_claims', _made.max_claims));
  perform step.queue('handoff.expire', json_build_object('handoffId', _made.id), _made.expires_at, _made.id::text);
  return handoff.view(_made, _lease);
end $$;

create or replace function handoff.view(_handoff svc.handoff, _lease svc.lease) returns json language sql stable as $$
  select json_build_object('handoff_id', lease.format_id('hof_', _handoff.id), 'lease_id', lease.format_id('lse_', _lease.id),
    'state', case when _handoff.state = 'issued' and (_handoff.expires_at <= now() or _lease.ended_at is not null) then 'expired'
      else _handoff.state end,
    'claims', _handoff.claims, 'max_claims', _handoff.max_claims, 'delete_on_claim', _lease.delete_on_claim,
    'claimed_at', lease.format_time(_handoff.claimed_at), 'expires_at', lease.format_time(_handoff.expires_at))
$$;

-- A handoff of the caller's own lease; revoking it is possible as long as it can be claimed.
create or replace function handoff.read(_account uuid, _id uuid, _revokes boolean) returns json language plpgsql as $$
declare
  _handoff svc.handoff;
  _lease svc.lease;
begin
  select * into _handoff from svc.handoff h where h.id = _id;
  select * into _lease from svc.lease l where l.id = _handoff.lease_id;
  if _lease.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _lease.account_id <> _account then
    raise exception 'FORBIDDEN' using errcode = 'SVC01';
  end if;
  if _revokes then
    update svc.handoff set revoked_at = coalesce(revoked_at, now()) where id = _id and claims < max_claims
      returning * into _handoff;
    if not found then
      raise exception 'ALREADY_CLAIMED' using errcode = 'SVC01';
    end if;
    if _handoff.state <> 'revoked' then
      perform transition.move('svc.handoff', _id, 'revoked', 'owner', null);
      _handoff.state := 'revoked';
    end if;
  end if;
  return handoff.view(_handoff, _lease);
end $$;

-- The step that lets a hand-off expire which can still be claimed.
create or replace function handoff.expire(_id uuid) returns void language plpgsql as $$
declare
  _expires_at timestamptz;
begin
  select expires_at into _expires_at from svc.handoff where id = _id and state = 'issued' for no key update;
  if _expires_at > now() then
    perform step.queue('handoff.expire', json_build_object('handoffId', _id), _expires_at, _id::text);
  elsif _expires_at is not null then
    perform transition.move('svc.handoff', _id, 'expired', 'clock', null);
  end if;
end $$;

-- What a link leads to. Looking claims nothing, because mail programs and chats follow links by themselves.
create or replace function handoff.preview(_token bytea) returns json language plpgsql stable as $$
declare
  _handoff svc.handoff;
  _content svc.lease_content;
begin
  select * into _handoff from svc.handoff h where h.token_hash = _token;
  perform handoff.require_claimable(_handoff);
  select * into _content from svc.lease_content c where c.lease_id = _handoff.lease_id;
  return json_build_object('filename', _content.filename, 'size_bytes', _content.size_bytes,
    'content_type', _content.content_type, 'sha256', _content.sha256, 'note', _handoff.note,
    'needs_pin', _handoff.pin_hash is not null, 'needs_sign_in', num_nonnulls(_handoff.wallet, _handoff.email) > 0,
    'expires_at', lease.format_time(_handoff.expires_at));
end $$;

create or replace function handoff.require_claimable(_handoff svc.handoff) returns void language plpgsql stable as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.id = _handoff.lease_id;
  if _handoff.revoked_at is not null then
    raise exception 'GONE' using errcode = 'SVC01', detail = '{"reason": "revoked"}';
  elsif _handoff.claims = _handoff.max_claims then
    raise exception 'ALREADY_CLAIMED' using errcode = 'SVC01';
  elsif _handoff.expires_at <= now() or _handoff.state = 'expired' then
    raise exception 'GONE' using errcode = 'SVC01', detail = '{"reason": "expired"}';
  elsif _handoff.pin_faults >= 5 then
    raise exception 'HANDOFF_LOCKED' using errcode = 'SVC01';
  end if;
  perform lease.require_usable(_lease, _lease.account_id);
end $$;

-- Takes a claim: the content may be read once, and again with the receipt if that is broken off. A wrong PIN is an answer and
-- not an error, because its count must be kept.
create or replace function handoff.claim(_token bytea, _account uuid, _pin bytea, _receipt bytea, _is_repeat boolean) returns json
language plpgsql as $$
declare
  _handoff svc.handoff;
  _content svc.lease_content;
  _lease svc.lease;
begin
  select * into _handoff from svc.handoff h where h.token_hash = _token for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _is_repeat then
    if not exists (select from svc.handoff_claim c where c.receipt_hash = _receipt and c.handoff_id = _handoff.id
        and c.completed_at is null and c.claimed_at > now() - interval '5 minutes') then
      raise exception 'ALREADY_CLAIMED' using errcode = 'SVC01';
    end if;
  else
    -- Several links may lead to a file that is taken once.
    perform from svc.lease l where l.id = _handoff.lease_id and l.delete_on_claim for no key update;
    perform handoff.require_claimable(_handoff);
    perform handoff.require_claimant(_handoff, _account);
    if _handoff.pin_hash is not null and (_pin is null or _pin <> _handoff.pin_hash) then
      update svc.handoff set pin_faults = pin_faults + (_pin is not null)::integer where id = _handoff.id
        returning * into _handoff;
      return json_build_object('fault', case when _pin is null then 'PIN_REQUIRED' else 'PIN_WRONG' end,
        'triesLeft', 5 - _handoff.pin_faults);
    end if;
    perform handoff.count_claim(_handoff);
    insert into svc.handoff_claim (receipt_hash, handoff_id) values (_receipt, _handoff.id);
    update svc.lease set claimed_at = clock_timestamp() where id = _handoff.lease_id and delete_on_claim;
    if found then
      perform step.queue('lease.expire', json_build_object('leaseId', _handoff.lease_id), now() + interval '5 minutes',
        _handoff.lease_id::text);
    end if;
  end if;
  select * into _lease from svc.lease l where l.id = _handoff.lease_id;
  select * into _content from svc.lease_content c where c.lease_id = _handoff.lease_id;
  if _content.lease_id is null then
    raise exception 'GONE' using errcode = 'SVC01', detail = '{"reason": "expired"}';
  end if;
  return json_build_object('key', _content.object_key, 'view', storage.view(_lease, _content));
end $$;

create or replace function handoff.count_claim(_handoff svc.handoff) returns void language plpgsql as $$
begin
  update svc.handoff set claims = claims + 1, claimed_at = clock_timestamp() where id = _handoff.id returning * into _handoff;
  if _handoff.claims = _handoff.max_claims then
    perform transition.move('svc.handoff', _handoff.id, 'claimed', 'claimant', jsonb_build_object('claims', _handoff.claims));
  else
    perform audit.append('handoff', _handoff.id, _handoff.account_id, 'claimant', 'taken',
      jsonb_build_object('claims', _handoff.claims));
  end if;
end $$;

create or replace function handoff.require_claimant(_handoff svc.handoff, _account uuid) returns void language plpgsql stable as $$
begin
  if _handoff.wallet is not null
      and not exists (select from svc.wallet w where w.account_id = _account and w.address = _handoff.wallet)
    or _handoff.email is not null
      and not exists (select from svc.identity i where i.account_id = _account and lower(i.email) = _handoff.email) then
    raise exception 'FORBIDDEN' using errcode = 'SVC01',
      detail = '{"reason": "It may be claimed only by the account that its owner has named; sign in with that."}';
  end if;
end $$;

-- The content of a claim has arrived whole. A lease that is deleted by that ends here.
create or replace function handoff.complete_claim(_receipt bytea) returns void language plpgsql as $$
declare
  _lease uuid;
begin
  update svc.handoff_claim c set completed_at = clock_timestamp() from svc.handoff h
    where c.receipt_hash = _receipt and c.completed_at is null and h.id = c.handoff_id returning h.lease_id into _lease;
  perform lease.finish(array_agg(l.id), true)
    from (select l.id from svc.lease l where l.id = _lease and l.claimed_at is not null and l.ended_at is null for no key update) l
    having count(*) > 0;
end $$;
