-- Decision 0450: sign what cannot change any more.

create or replace function esigndoc.format_id(_id uuid) returns text language sql immutable as $$
  select 'env_' || replace(_id::text, '-', '')
$$;

create or replace function esigndoc.format_recipient_id(_id uuid) returns text language sql immutable as $$
  select 'rcp_' || replace(_id::text, '-', '')
$$;

-- Makes a draft that `_job` pays for. With `_sending` it is sent at once.
create or replace function esigndoc.create(_job json, _envelope json, _sending json, _max_open integer) returns json
language plpgsql as $$
declare
  _row svc.envelope;
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('envelopes ' || (_job ->> 'account'), 0));
  if _max_open <= (select count(*) from svc.envelope e where e.account_id = (_job ->> 'account')::uuid
      and e.state in ('draft', 'sent', 'in_progress', 'sealing')) then
    raise exception 'TOO_MANY_ENVELOPES' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  _row := esigndoc.insert_draft((_job ->> 'account')::uuid, _envelope);
  if _sending is not null then
    _row := esigndoc.dispatch(_row, _job, _sending);
  end if;
  _result := esigndoc.show(_row);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function esigndoc.insert_draft(_account uuid, _envelope json) returns svc.envelope language plpgsql as $$
declare
  _row svc.envelope := json_populate_record(null::svc.envelope, _envelope -> 'row');
begin
  insert into svc.envelope (id, account_id, title, terms, signing_order, timezone, reference_id, metadata, template_id,
      template_version, batch_id, expires_in_days)
    values (_row.id, _account, _row.title, _row.terms, _row.signing_order, _row.timezone, _row.reference_id, _row.metadata,
      _row.template_id, _row.template_version, _row.batch_id, _row.expires_in_days) returning * into _row;
  insert into svc.envelope_file (envelope_id, position, name, original, content, pages)
    select _row.id, n - 1, f ->> 'name', f -> 'original', f -> 'content', f -> 'pages'
    from json_array_elements(_envelope -> 'files') with ordinality t (f, n);
  perform esigndoc.insert_recipient(_row, r, n::integer - 1)
    from json_array_elements(_envelope -> 'recipients') with ordinality t (r, n);
  perform esigndoc.insert_fields(_row.id, _envelope -> 'fields');
  perform esigndoc.keep_objects(_row.account_id, _row.id);
  perform esigndoc.log(_row, 'owner', 'created', jsonb_build_object('title', _row.title, 'files', (
    select jsonb_agg(jsonb_build_object('name', f.name, 'sha256', f.original ->> 'sha256', 'signedSha256', f.content ->> 'sha256')
      order by f.position) from svc.envelope_file f where f.envelope_id = _row.id)));
  return _row;
end $$;

create or replace function esigndoc.insert_recipient(_row svc.envelope, _recipient json, _position integer) returns void
language plpgsql as $$
begin
  if _recipient ->> 'verificationId' is not null
      and not idverify.is_of(_row.account_id, (_recipient ->> 'verificationId')::uuid) then
    raise exception 'NOT_FOUND' using errcode = 'SVC01',
      detail = json_build_object('field', format('recipients/%s/verificationId', _position))::text;
  end if;
  insert into svc.envelope_recipient (id, envelope_id, position, name, email, phone, role, turn, language, delivery, verification,
      access_code_hash, wallet, redirect_url, message, metadata, verification_id, link_nonce, token_hash)
    values ((_recipient ->> 'id')::uuid, _row.id, _position, _recipient ->> 'name', _recipient ->> 'email',
      _recipient ->> 'phone', _recipient ->> 'role', (_recipient ->> 'turn')::integer, _recipient ->> 'language',
      _recipient ->> 'delivery', _recipient ->> 'verification', (_recipient ->> 'accessCodeHash')::bytea,
      _recipient ->> 'wallet', _recipient ->> 'redirectUrl', _recipient ->> 'message', _recipient -> 'metadata',
      (_recipient ->> 'verificationId')::uuid, _recipient ->> 'linkNonce', (_recipient ->> 'tokenHash')::bytea);
end $$;

-- The bytes of documents stay as long as an envelope or a template has them.
create or replace function esigndoc.keep_objects(_account uuid, _envelope uuid) returns void language plpgsql as $$
declare
  _keys text[] := array(select f.original ->> 'key' from svc.envelope_file f where f.envelope_id = _envelope
    union select f.content ->> 'key' from svc.envelope_file f where f.envelope_id = _envelope);
begin
  update svc.object set expires_at = 'infinity' where key = any (_keys) and account_id = _account and kind = 'signing';
  if (select count(*) from svc.object where key = any (_keys) and account_id = _account and kind = 'signing'
      and expires_at = 'infinity') < cardinality(_keys) then
    raise exception 'INPUT_GONE' using errcode = 'SVC01';
  end if;
end $$;

create or replace function esigndoc.log(_row svc.envelope, _actor text, _action text, _detail jsonb) returns void
language sql as $$
  select audit.append('envelope', _row.id, _row.account_id, _actor, _action, _detail)
$$;

-- What every event of an envelope says.
create or replace function esigndoc.describe_event(_row svc.envelope, _status text) returns jsonb language sql volatile as $$
  select jsonb_build_object('envelopeId', esigndoc.format_id(_row.id), 'title', _row.title, 'status', _status,
    'referenceId', _row.reference_id, 'metadata', _row.metadata, 'occurredAt', clock_timestamp())
$$;

create or replace function esigndoc.emit(_row svc.envelope, _event text, _status text, _detail jsonb) returns void
language sql as $$
  select webhook.emit(array[row(_row.account_id, null, _event, _row.id,
    (esigndoc.describe_event(_row, _status) || _detail)::json)::svc.webhook_emission])
$$;

-- Moves an envelope to a state, with the event that is declared for it, and wakes who waits for a change.
create or replace function esigndoc.move(_row svc.envelope, _to text, _actor text, _detail jsonb) returns svc.envelope
language plpgsql as $$
begin
  perform transition.move('svc.envelope', _row.id, _to, _actor, esigndoc.describe_event(_row, _to) || _detail);
  perform esigndoc.wake(_row.id);
  select * into _row from svc.envelope where id = _row.id;
  return _row;
end $$;

create or replace function esigndoc.wake(_id uuid) returns void language sql as $$
  select pg_notify('long_polls', 'envelope ' || _id)
$$;

create or replace function esigndoc.lock(_account uuid, _id uuid) returns svc.envelope language plpgsql as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and (_account is null or account_id = _account) for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

create or replace function esigndoc.require_draft(_row svc.envelope) returns void language plpgsql as $$
begin
  if _row.state <> 'draft' then
    raise exception 'ENVELOPE_NOT_DRAFT' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
end $$;

create or replace function esigndoc.refuse_if_over(_row svc.envelope) returns void language plpgsql as $$
begin
  if _row.state not in ('draft', 'sent', 'in_progress') then
    raise exception 'ENVELOPE_TERMINAL' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
end $$;

create or replace function esigndoc.require_out(_row svc.envelope) returns void language plpgsql as $$
begin
  perform esigndoc.refuse_if_over(_row);
  if _row.state = 'draft' then
    raise exception 'ENVELOPE_NOT_SENT' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
end $$;

-- Its owner ends an envelope. What nobody has seen is paid back whole.
create or replace function esigndoc.cancel(_account uuid, _id uuid, _reason text) returns json language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
begin
  perform esigndoc.refuse_if_over(_row);
  if _row.viewed_at is null then
    perform ledger.refund(_row.job_id, _row.charge_micros);
  end if;
  _row := esigndoc.move(_row, 'cancelled', 'owner', jsonb_build_object('reason', _reason));
  perform esigndoc.end_open(_row, 'cancelled');
  return esigndoc.show(_row);
end $$;

-- What goes with every end but that of sealing: the log is copied, and those who were asked are told.
create or replace function esigndoc.end_open(_row svc.envelope, _occasion text) returns void language plpgsql as $$
begin
  update svc.envelope_recipient set remind_at = null, code_hash = null, session_hash = null where envelope_id = _row.id;
  perform esigndoc.queue_notice(r, _occasion, _occasion)
    from svc.envelope_recipient r where r.envelope_id = _row.id
      and r.status in ('notified', 'viewed', 'completed') and _row.state <> 'expired';
  if _occasion <> 'cancelled' then
    perform notification.tell_owner(_row.account_id, 'esigndoc.owner', _row.id || ' ' || _occasion,
      jsonb_build_object('envelopeId', esigndoc.format_id(_row.id), 'title', _row.title, 'status', _occasion));
  end if;
  perform esigndoc.end_log(_row);
end $$;
