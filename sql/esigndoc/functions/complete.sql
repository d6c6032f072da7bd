-- A recipient has done their part. Of one envelope that comes one after the other, so that of two who sign last one completes
-- it. The same again is answered as before.
create or replace function esigndoc.complete(_token bytea, _session bytea, _signed json) returns void language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
begin
  if _asked.status = 'completed' and _asked.signed_digest = (_signed ->> 'digest')::bytea
      and esigndoc.is_admitted(_row, _asked, _session) then
    return;
  end if;
  perform esigndoc.require_turn(_row, _asked);
  perform esigndoc.require_admitted(_row, _asked, _session);
  perform esigndoc.note_view(_row, _asked, _signed);
  perform esigndoc.store_values(_row, _asked, _signed -> 'values', _signed -> 'uploads');
  update svc.envelope_recipient set status = 'completed', signed_at = clock_timestamp(), consent = _signed -> 'consent',
      ip = _signed ->> 'ip', user_agent = _signed ->> 'userAgent', signature = _signed -> 'signature',
      signed_digest = (_signed ->> 'digest')::bytea, remind_at = null, code_hash = null
    where id = _asked.id returning * into _asked;
  perform esigndoc.log(_row, _asked.name, 'signed', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'values', _signed ->> 'valuesSha256', 'consent', _signed -> 'consent', 'authentication', esigndoc.list_proofs(_asked),
    'ip', _asked.ip, 'userAgent', _asked.user_agent));
  perform esigndoc.advance(_row, _asked);
end $$;

-- How a recipient was recognised: by the link, and by what was asked for besides.
create or replace function esigndoc.list_proofs(_asked svc.envelope_recipient) returns jsonb language sql immutable as $$
  select case when _asked.verification = 'none' then '["link"]'::jsonb else jsonb_build_array('link', _asked.verification) end
$$;

create or replace function esigndoc.advance(_row svc.envelope, _asked svc.envelope_recipient) returns void language plpgsql as $$
declare
  _remaining integer;
begin
  select count(*) into _remaining from svc.envelope_recipient r where r.envelope_id = _row.id
    and r.role in ('signer', 'witness', 'approver') and r.status not in ('completed', 'reassigned');
  if _row.state = 'sent' then
    _row := esigndoc.move(_row, 'in_progress', _asked.name, '{}');
  end if;
  perform esigndoc.emit(_row, 'envelope.signed', 'in_progress', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'remaining', _remaining));
  if _remaining > 0 then
    perform esigndoc.open_turn(_row);
    perform esigndoc.queue_timer(_row.id);
    perform esigndoc.wake(_row.id);
  else
    perform esigndoc.move(_row, 'sealing', 'service', '{}');
    update svc.envelope_recipient set status = 'skipped' where envelope_id = _row.id and status in ('waiting', 'notified')
      and role = 'viewer';
    perform step.queue('esigndoc.seal', json_build_object('id', _row.id), now(), _row.id::text);
  end if;
  perform esigndoc.copy_log(_row.id);
end $$;

-- A recipient declines, which ends the envelope.
create or replace function esigndoc.decline(_token bytea, _session bytea, _reason text, _from json) returns void
language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
begin
  if _asked.status = 'declined' then
    return;
  end if;
  perform esigndoc.require_turn(_row, _asked);
  perform esigndoc.require_admitted(_row, _asked, _session);
  if not (_row.terms ->> 'allowDecline')::boolean then
    raise exception 'DECLINE_NOT_ALLOWED' using errcode = 'SVC01';
  end if;
  perform esigndoc.note_view(_row, _asked, _from);
  update svc.envelope_recipient set status = 'declined', decline_reason = _reason, ip = _from ->> 'ip',
    user_agent = _from ->> 'userAgent' where id = _asked.id;
  _row := esigndoc.move(_row, 'rejected', _asked.name, jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'reason', _reason));
  perform esigndoc.end_open(_row, 'rejected');
end $$;

-- A recipient passes the envelope on to somebody else, who gets the fields and a link. The own link is of no use afterwards.
create or replace function esigndoc.reassign(_token bytea, _session bytea, _to json, _from json) returns void language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
  _new svc.envelope_recipient;
begin
  perform esigndoc.require_turn(_row, _asked);
  perform esigndoc.require_admitted(_row, _asked, _session);
  if not (_row.terms ->> 'allowReassign')::boolean then
    raise exception 'REASSIGN_NOT_ALLOWED' using errcode = 'SVC01';
  end if;
  perform esigndoc.insert_recipient(_row, (to_jsonb(r) || jsonb_build_object('id', _to ->> 'id', 'name', _to ->> 'name',
      'email', _to ->> 'email', 'role', _asked.role, 'turn', _asked.turn, 'language', _asked.language, 'delivery', _to ->> 'delivery',
      'verification', _to ->> 'verification', 'linkNonce', _to ->> 'linkNonce', 'tokenHash', _to ->> 'tokenHash',
      'redirectUrl', _asked.redirect_url, 'metadata', _asked.metadata))::json,
    (select max(position) + 1 from svc.envelope_recipient where envelope_id = _row.id))
    from (select _asked.message) r;
  update svc.envelope_recipient set status = 'reassigned', reassigned_to = (_to ->> 'id')::uuid, remind_at = null, session_hash = null
    where id = _asked.id;
  update svc.envelope_field set recipient_id = (_to ->> 'id')::uuid, value = null where recipient_id = _asked.id;
  select * into _new from svc.envelope_recipient where id = (_to ->> 'id')::uuid;
  perform esigndoc.log(_row, _asked.name, 'reassigned', jsonb_build_object('from', esigndoc.name_recipient(_asked),
    'to', esigndoc.name_recipient(_new), 'ip', _from ->> 'ip', 'userAgent', _from ->> 'userAgent'));
  perform esigndoc.ask(_row, _new);
  perform esigndoc.queue_timer(_row.id);
  perform esigndoc.copy_log(_row.id);
end $$;
