-- Sends a recipient a code, by mail or as a text message. `_code` holds its hash, and itself encrypted.
create or replace function esigndoc.send_code(_token bytea, _code json) returns json language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
begin
  perform esigndoc.require_provable(_row, _asked);
  if _asked.verification not in ('email_otp', 'sms_otp') then
    raise exception 'VERIFICATION_REQUIRED' using errcode = 'SVC01', detail = json_build_object('method', _asked.verification)::text;
  elsif _asked.codes_sent >= 10 then
    raise exception 'CODES_EXHAUSTED' using errcode = 'SVC01', detail = json_build_object('sent', _asked.codes_sent, 'max', 10)::text;
  elsif _asked.code_until > clock_timestamp() + interval '9 minutes 30 seconds' then
    raise exception 'CODE_SENT_RECENTLY' using errcode = 'SVC01', detail = json_build_object('retryAfterSeconds',
      ceil(extract(epoch from _asked.code_until - interval '9 minutes 30 seconds' - clock_timestamp())))::text;
  end if;
  update svc.envelope_recipient set code_hash = (_code ->> 'hash')::bytea, code_until = clock_timestamp() + interval '10 minutes',
    code_tries = 0, codes_sent = codes_sent + 1 where id = _asked.id returning * into _asked;
  if _asked.verification = 'email_otp' then
    perform notification.queue((_code ->> 'id')::uuid, _row.account_id, 'esigndoc.code', _code ->> 'id', _asked.email,
      jsonb_build_object('envelopeId', esigndoc.format_id(_row.id), 'title', _row.title, 'language', case when _asked.language = 'auto' then 'en' else _asked.language end),
      _code ->> 'sealed');
  else
    perform step.queue('esigndoc.text-code', json_build_object('recipient', _asked.id, 'id', _code ->> 'id',
      'sealed', _code ->> 'sealed'), now(), _code ->> 'id');
  end if;
  perform esigndoc.log(_row, _asked.name, 'code_sent', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'method', _asked.verification));
  return json_build_object('method', _asked.verification, 'validUntil', _asked.code_until);
end $$;

-- Who they are can also be proved after the end, to read what was signed.
create or replace function esigndoc.require_provable(_row svc.envelope, _asked svc.envelope_recipient) returns void
language plpgsql as $$
begin
  if _row.state not in ('sent', 'in_progress', 'sealing', 'completed') or _asked.status = 'reassigned'
      or (_row.state in ('sent', 'in_progress') and _row.expires_at <= clock_timestamp()) then
    raise exception 'LINK_EXPIRED' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  elsif _asked.status = 'waiting' then
    raise exception 'NOT_YOUR_TURN' using errcode = 'SVC01';
  end if;
end $$;

-- Checks what a browser brings as proof. From then on that browser alone may go on. A wrong code counts, so this returns whether
-- it was right and throws nothing that would undo the count.
create or replace function esigndoc.prove(_token bytea, _session bytea, _proof json) returns json language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
  _isRight boolean;
begin
  perform esigndoc.require_provable(_row, _asked);
  if _asked.code_tries >= 10 then
    return json_build_object('code', 'CODES_EXHAUSTED', 'hints', json_build_object('max', 10));
  end if;
  _isRight := case _asked.verification
    when 'none' then true
    when 'access_code' then _asked.access_code_hash = (_proof ->> 'codeHash')::bytea
    when 'wallet' then _asked.wallet = _proof ->> 'wallet'
    when 'idverify' then idverify.is_approved(_row.account_id, _asked.verification_id)
    else _asked.code_hash = (_proof ->> 'codeHash')::bytea and _asked.code_until > clock_timestamp() end is true;
  if not _isRight then
    update svc.envelope_recipient set code_tries = code_tries + (verification <> 'idverify')::integer where id = _asked.id;
    return json_build_object('code', 'CODE_WRONG', 'hints', json_build_object('method', _asked.verification,
      'triesLeft', 9 - _asked.code_tries));
  end if;
  update svc.envelope_recipient set verified_at = clock_timestamp(), session_hash = _session, code_hash = null, code_tries = 0
    where id = _asked.id returning * into _asked;
  perform esigndoc.log(_row, _asked.name, 'verified', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'method', _asked.verification, 'ip', _proof ->> 'ip', 'userAgent', _proof ->> 'userAgent'));
  if _row.state in ('sent', 'in_progress') then
    perform esigndoc.note_view(_row, _asked, _proof);
  end if;
  return json_build_object('code', null);
end $$;

create or replace function esigndoc.read_phone(_recipient uuid) returns json language sql stable as $$
  select json_build_object('phone', r.phone, 'language', r.language, 'title', e.title)
  from svc.envelope_recipient r join svc.envelope e on e.id = r.envelope_id
  where r.id = _recipient and r.phone is not null and r.code_until > now()
$$;

create or replace function esigndoc.note_delivery_error(_recipient uuid, _error text) returns void language sql as $$
  update svc.envelope_recipient set delivery_error = _error where id = _recipient
$$;
