-- Locks a baton for its owner, who may witness it.
create or replace function witness.admit(_by json) returns svc.baton language plpgsql as $$
declare
  _visit svc.baton_visit;
  _baton svc.baton;
begin
  if _by ->> 'token' is not null then
    _visit := baton.admit(_by, 'own');
  end if;
  select * into _baton from svc.baton where id = (_by ->> 'baton')::uuid for no key update;
  perform baton.require_role(_baton, _by ->> 'account', 'own');
  perform witness.require_sealable(_baton);
  if _baton.deleted_at is not null or _baton.expires_at <= clock_timestamp() then
    perform baton.refuse('BATON_NOT_ACTIVE', json_build_object('reason', coalesce(_baton.deletion, 'expired')));
  end if;
  return _baton;
end $$;

create or replace function witness.require_sealable(_baton svc.baton) returns void language plpgsql as $$
begin
  if _baton.witnessed_at is not null then
    perform baton.refuse('ALREADY_WITNESSED', json_build_object('witnessedAt', _baton.witnessed_at));
  end if;
end $$;

-- What a witness of the baton would cost and say now. `sha256` is null for a log, whose bytes have to be read. Without an
-- entry there is nothing to sign.
create or replace function witness.prepare(_by json) returns json language plpgsql as $$
declare
  _baton svc.baton := witness.admit(_by);
begin
  perform baton.require_adopted(_baton, _by);
  if _baton.entry_count = 0 then
    perform baton.refuse('CHAIN_NOT_INITIALIZED', json_build_object('reason', 'Write to it first.'));
  end if;
  return witness.describe(_baton);
end $$;

create or replace function witness.describe(_baton svc.baton) returns json language sql stable as $$
  select json_build_object('batonId', _baton.id, 'version', _baton.entry_count,
    'entries', case when baton.is_log(_baton) then _baton.entry_count else 1 end, 'size', _baton.stored_bytes,
    'chainHead', encode(_baton.chain_head, 'hex'), 'now', baton.format_time(clock_timestamp()),
    'sha256', case when not baton.is_log(_baton) then (select encode(e.sha256, 'hex') from svc.baton_entry e
      where e.baton_id = _baton.id order by e.seq desc limit 1) end)
$$;

-- Freezes a baton under a signed record and ends the paying job, all or nothing. Returns false if the baton was written to
-- since the record was prepared.
create or replace function witness.record(_job json, _by json, _version bigint, _record json, _result json) returns boolean
language plpgsql as $$
declare
  _baton svc.baton := witness.admit(_by);
begin
  if _baton.entry_count <> _version then
    return false;
  end if;
  perform witness.freeze(_baton, (_job ->> 'id')::uuid, 'owner', _record);
  perform baton.settle(_job, _result);
  return true;
end $$;

create or replace function witness.freeze(_baton svc.baton, _job uuid, _writer text, _record json) returns void language plpgsql as $$
declare
  _at timestamptz := (_record #>> '{statement,witnessed_at}')::timestamptz;
begin
  insert into svc.witness (baton_id, account_id, job_id, statement, jws, witnessed_at, retain_until)
    values (_baton.id, _baton.account_id, _job, _record -> 'statement', _record ->> 'jws', _at,
      (_record #>> '{statement,retain_until}')::timestamptz);
  update svc.baton set witnessed_at = _at where id = _baton.id;
  perform baton.forget_upload(_baton);
  insert into svc.baton_log (baton_id, type, writer) values (_baton.id, 'witnessed', _writer);
end $$;

-- Whether a baton whose witness is paid for has ended without one. What was uploaded may be its only entry.
create or replace function witness.is_due(_baton svc.baton) returns boolean language sql stable as $$
  select _baton.witness_prepaid and _baton.witnessed_at is null and _baton.deleted_at is null and _baton.purge_at is not null
    and (_baton.entry_count > 0 or _baton.upload_key is not null) and _baton.expires_at <= clock_timestamp()
$$;

create or replace function witness.list_due(_limit integer) returns json language sql stable as $$
  select coalesce(json_agg(witness.describe(b::svc.baton)), '[]') from (select * from svc.baton
    where witness_prepaid and witnessed_at is null and deleted_at is null and purge_at is not null
      and (entry_count > 0 or upload_key is not null) and upload_key is null and expires_at <= clock_timestamp()
    order by expires_at limit _limit) b
$$;

-- Files that were uploaded for such batons, and are to be taken over before these are sealed.
create or replace function witness.list_due_uploads(_limit integer) returns json language sql stable as $$
  select coalesce(json_agg(baton.show_upload(b::svc.baton)), '[]') from (select * from svc.baton
    where witness_prepaid and witnessed_at is null and deleted_at is null and purge_at is not null
      and (entry_count > 0 or upload_key is not null) and upload_key is not null and expires_at <= clock_timestamp()
    order by expires_at limit _limit) b
$$;

-- Records what was signed at the end of a baton, unless another process has.
create or replace function witness.record_due(_id uuid, _version bigint, _record json) returns boolean language sql as $$
  select witness.record_by_service(_id, _version, _record, true)
$$;

create or replace function witness.record_by_service(_id uuid, _version bigint, _record json, _must_be_over boolean) returns boolean
language plpgsql as $$
declare
  _baton svc.baton;
begin
  select * into _baton from svc.baton b where b.id = _id for no key update;
  if not found or _baton.entry_count <> _version
      or not (case when _must_be_over then witness.is_due(_baton) else witness.is_open(_baton) end) then
    return false;
  end if;
  perform witness.freeze(_baton, null, 'service', _record);
  return true;
end $$;

-- Whether a ledger that a product keeps for its owner can be witnessed, which was paid for with it, before its time is over.
create or replace function witness.is_open(_baton svc.baton) returns boolean language sql stable as $$
  select _baton.witness_prepaid and _baton.witnessed_at is null and _baton.deleted_at is null and _baton.purge_at is not null
    and _baton.entry_count > 0
$$;

-- What a witness of such a ledger would say, when what it is about has ended; null if there is nothing to witness any more.
create or replace function witness.prepare_ended(_id uuid) returns json language sql stable as $$
  select witness.describe(b) from svc.baton b where b.id = _id and witness.is_open(b)
$$;

create or replace function witness.record_ended(_id uuid, _version bigint, _record json) returns boolean language sql as $$
  select witness.record_by_service(_id, _version, _record, false)
$$;

create or replace function witness.forget(_limit integer) returns integer language plpgsql as $$
declare
  _count integer;
begin
  delete from svc.witness where baton_id in (select baton_id from svc.witness where retain_until <= now() limit _limit);
  get diagnostics _count = row_count;
  return _count;
end $$;
