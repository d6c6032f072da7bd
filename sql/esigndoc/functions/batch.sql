create or replace function esigndoc.format_batch_id(_id uuid) returns text language sql immutable as $$
  select 'btc_' || replace(_id::text, '-', '')
$$;

-- Makes a draft of each row, all or none. Where they are to be sent, a step sends each, which is charged by itself. The same call
-- again, known by its key, finds the batch that it has made.
create or replace function esigndoc.create_batch(_account uuid, _batch json, _max_open integer) returns json language plpgsql as $$
declare
  _id uuid := (_batch ->> 'id')::uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended('envelopes ' || _account, 0));
  if exists (select from svc.envelope_batch where id = _id and account_id = _account) then
    if (select request_hash from svc.envelope_batch where id = _id) is distinct from _batch ->> 'requestHash' then
      raise exception 'IDEMPOTENCY_CONFLICT' using errcode = 'SVC01';
    end if;
    return esigndoc.read_batch(_account, _id);
  end if;
  if _max_open < json_array_length(_batch -> 'rows') + (select count(*) from svc.envelope e where e.account_id = _account
      and e.state in ('draft', 'sent', 'in_progress', 'sealing')) then
    raise exception 'TOO_MANY_ENVELOPES' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  insert into svc.envelope_batch (id, account_id, template_id, sends, request_hash, key_hash)
    values (_id, _account, (_batch ->> 'templateId')::uuid, (_batch ->> 'sends')::boolean, _batch ->> 'requestHash',
      (_batch ->> 'keyHash')::bytea);
  insert into svc.envelope_batch_row (batch_id, position, envelope_id)
    select _id, n - 1, (esigndoc.insert_draft(_account, r -> 'envelope')).id
    from json_array_elements(_batch -> 'rows') with ordinality t (r, n);
  if (_batch ->> 'sends')::boolean then
    perform step.queue('esigndoc.send-row', json_build_object('batch', _id, 'position', n - 1, 'charge', r ->> 'charge',
        'baton', r -> 'baton'), now(), _id || ' ' || n)
      from json_array_elements(_batch -> 'rows') with ordinality t (r, n);
  end if;
  return esigndoc.read_batch(_account, _id);
end $$;

create or replace function esigndoc.read_batch(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope_batch;
begin
  select * into _row from svc.envelope_batch where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return json_build_object('id', esigndoc.format_batch_id(_id), 'sends', _row.sends, 'createdAt', _row.created_at,
    'rows', (select coalesce(json_agg(json_build_object('index', r.position, 'envelopeId', esigndoc.format_id(r.envelope_id),
      'status', e.state, 'problem', case when e.sent_at is null then r.problem end) order by r.position), '[]')
      from svc.envelope_batch_row r left join svc.envelope e on e.id = r.envelope_id where r.batch_id = _id));
end $$;

-- The step: sends the draft of a row, which is booked and charged as a call of its own. An account that cannot pay for it, or whose
-- key may not spend as much, is told in the row; the draft stays, and can be sent later. A second run finds no draft.
create or replace function esigndoc.send_row(_batch uuid, _position integer, _job uuid, _charge bigint, _baton json) returns void
language plpgsql as $$
declare
  _row svc.envelope;
  _key bytea := (select key_hash from svc.envelope_batch where id = _batch);
  _refused json;
begin
  select e.* into _row from svc.envelope_batch_row r join svc.envelope e on e.id = r.envelope_id
    where r.batch_id = _batch and r.position = _position and e.state = 'draft' for no key update of e;
  if not found then
    return;
  end if;
  begin
    _refused := job.intake_batch(json_build_array(json_build_object('id', _job, 'acct', _row.account_id,
      'svc', 'esigndoc.create-from-template', 'lane', 'api', 'amt', _charge, 'secs', 60, 'payload', null,
      'kh', encode(_key, 'hex'))), false);
    if exists (select from svc.job where id = _job) then
      perform esigndoc.send(json_build_object('id', _job, 'account', _row.account_id, 'charge', _charge, 'started', now()),
        _row.id, json_build_object('baton', _baton));
    elsif _refused #>> '{0,1}' = 'limit' then
      update svc.envelope_batch_row set problem = jsonb_build_object('code', 'SPEND_LIMIT_REACHED') || (_refused #> '{0,2}')::jsonb
        where batch_id = _batch and position = _position;
    else
      raise exception 'INSUFFICIENT_BALANCE' using errcode = 'SVC01';
    end if;
  exception when sqlstate 'SVC01' then
    update svc.envelope_batch_row set problem = json_build_object('code', sqlerrm)
      where batch_id = _batch and position = _position;
  end;
end $$;
