-- The recipient of a token, and the envelope, locked: what two do at once comes one after the other. A link whose envelope is
-- not out has no use, but to read what came of it.
create or replace function esigndoc.find_signer(_token bytea, _locks boolean) returns svc.envelope_recipient language plpgsql as $$
declare
  _asked svc.envelope_recipient;
begin
  select * into _asked from svc.envelope_recipient where token_hash = _token;
  if found and _locks then
    perform from svc.envelope where id = _asked.envelope_id for no key update;
    select * into _asked from svc.envelope_recipient where token_hash = _token;
  end if;
  if _asked.id is null and exists (select from svc.envelope_replaced_link where token_hash = _token) then
    raise exception 'LINK_EXPIRED' using errcode = 'SVC01';
  elsif _asked.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _asked;
end $$;

-- Refuses whoever cannot act now.
create or replace function esigndoc.require_turn(_row svc.envelope, _asked svc.envelope_recipient) returns void
language plpgsql as $$
begin
  if _row.state not in ('sent', 'in_progress', 'sealing', 'completed') or _asked.status = 'reassigned'
      or (_row.state in ('sent', 'in_progress') and _row.expires_at <= clock_timestamp()) then
    raise exception 'LINK_EXPIRED' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  elsif _asked.status = 'completed' then
    raise exception 'RECIPIENT_ALREADY_SIGNED' using errcode = 'SVC01';
  elsif _asked.status = 'waiting' then
    raise exception 'NOT_YOUR_TURN' using errcode = 'SVC01';
  elsif _asked.role not in ('signer', 'witness', 'approver') then
    raise exception 'RECIPIENT_DONE' using errcode = 'SVC01', detail = json_build_object('role', _asked.role)::text;
  end if;
end $$;

-- Whether a browser may see the document: it has proved who it is, where that is asked for, and no other one has the link.
create or replace function esigndoc.is_admitted(_row svc.envelope, _asked svc.envelope_recipient, _session bytea) returns boolean
language sql stable as $$
  select case when _asked.verification = 'none' and not coalesce((_row.terms ->> 'singleSession')::boolean, false) then true
    when _asked.verification = 'none' then _asked.session_hash is not null and _asked.session_hash = _session
    else _asked.verified_at is not null and _asked.session_hash = _session end is true
$$;

create or replace function esigndoc.require_admitted(_row svc.envelope, _asked svc.envelope_recipient, _session bytea) returns void
language plpgsql as $$
begin
  if esigndoc.is_admitted(_row, _asked, _session) then
    return;
  elsif _asked.verification = 'none' and _asked.session_hash is not null then
    raise exception 'LINK_IN_USE' using errcode = 'SVC01';
  end if;
  raise exception 'VERIFICATION_REQUIRED' using errcode = 'SVC01',
    detail = json_build_object('method', _asked.verification)::text;
end $$;

-- What whoever has a link sees. It changes nothing. Without proof it is no more than what to prove.
create or replace function esigndoc.read_for_signing(_token bytea, _session bytea) returns json language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, false);
  _row svc.envelope;
  _isIn boolean;
begin
  select * into _row from svc.envelope where id = _asked.envelope_id;
  _isIn := esigndoc.is_admitted(_row, _asked, _session);
  if _row.state = 'draft' or _asked.status = 'waiting' then
    raise exception 'NOT_YOUR_TURN' using errcode = 'SVC01';
  elsif _asked.status = 'reassigned' or (_row.state in ('sent', 'in_progress') and _row.expires_at <= clock_timestamp())
      or _row.state in ('rejected', 'expired', 'cancelled') then
    raise exception 'LINK_EXPIRED' using errcode = 'SVC01', detail = json_build_object('status', _row.state,
      'language', _asked.language)::text;
  end if;
  return json_build_object('envelopeId', _row.id, 'accountId', _row.account_id, 'id', esigndoc.format_id(_row.id), 'status', _row.state,
    'title', _row.title, 'sender', esigndoc.name_sender(_row), 'hasLogo', _row.terms #> '{branding,logo}' is not null,
    'message', coalesce(_asked.message, _row.terms ->> 'message'), 'language', _asked.language,
    'timezone', _row.timezone, 'dateFormat', _row.terms ->> 'dateFormat',
    'expiresAt', _row.expires_at, 'verification', _asked.verification, 'isAdmitted', _isIn,
    'isInUse', _asked.session_hash is not null and _asked.verification = 'none' and not _isIn,
    'embedOrigins', coalesce(_row.terms -> 'embedOrigins', '[]'), 'singleSession', _row.terms -> 'singleSession',
    'hasCode', _asked.code_hash is not null and _asked.code_until > clock_timestamp(),
    'allowDecline', _row.terms -> 'allowDecline', 'allowReassign', _row.terms -> 'allowReassign',
    'allowDownload', _row.terms -> 'allowDownloadBeforeSigning',
    'redirectUrl', coalesce(_asked.redirect_url, _row.terms ->> 'redirectUrl'),
    'declineRedirectUrl', _row.terms ->> 'declineRedirectUrl',
    'recipient', esigndoc.show_signer(_row, _asked),
    'wallet', _asked.wallet, 'verificationId', _asked.verification_id,
    'files', case when _isIn then (select json_agg(json_build_object('name', f.name, 'pages', f.pages, 'content', f.content)
      order by f.position) from svc.envelope_file f where f.envelope_id = _row.id) else '[]' end,
    'fields', case when _isIn then esigndoc.list_visible_fields(_row, _asked) else '[]' end,
    'others', (select coalesce(json_agg(json_build_object('name', r.name, 'role', r.role, 'status', r.status) order by r.turn, r.position), '[]')
      from svc.envelope_recipient r where r.envelope_id = _row.id and r.id <> _asked.id and r.role <> 'cc' and r.status <> 'reassigned' and _isIn),
    'documents', case when _isIn then esigndoc.show_documents(_row) end);
end $$;

-- The logo of who asks, for whoever has a link.
create or replace function esigndoc.read_logo(_token bytea) returns text language plpgsql stable as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, false);
  _logo text := (select e.terms #>> '{branding,logo}' from svc.envelope e where e.id = _asked.envelope_id and e.state <> 'draft');
begin
  if _logo is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _logo;
end $$;

create or replace function esigndoc.show_signer(_row svc.envelope, _asked svc.envelope_recipient) returns json language sql stable as $$
  select json_build_object('id', esigndoc.format_recipient_id(_asked.id), 'uuid', _asked.id, 'name', _asked.name, 'email', _asked.email,
    'phone', _asked.phone, 'role', _asked.role, 'status', _asked.status, 'signedAt', _asked.signed_at,
    'canAct', _row.state in ('sent', 'in_progress') and esigndoc.is_asked(_asked))
$$;

-- Who asks, as far as that is known: people must see that somebody does.
create or replace function esigndoc.name_sender(_row svc.envelope) returns text language sql stable as $$
  select coalesce(_row.terms #>> '{branding,name}', (select nullif(a.name, '') from svc.account a where a.id = _row.account_id),
    notification.find_address(_row.account_id),
    (select w.address from svc.wallet w where w.account_id = _row.account_id order by w.address limit 1),
    'Account ' || left(_row.account_id::text, 8))
$$;

-- A signer sees what the others have filled in, and fills in what is theirs.
create or replace function esigndoc.list_visible_fields(_row svc.envelope, _asked svc.envelope_recipient) returns json
language sql stable as $$
  select coalesce(json_agg(f.spec::jsonb || jsonb_build_object('id', f.id, 'isOwn', f.recipient_id = _asked.id,
    'recipient', esigndoc.format_recipient_id(f.recipient_id), 'value', f.value) order by f.position), '[]')
  from svc.envelope_field f left join svc.envelope_recipient r on r.id = f.recipient_id
  where f.envelope_id = _row.id and (f.recipient_id is null or f.recipient_id = _asked.id or r.status = 'completed')
$$;

-- The first time that a recipient really opens the page, not a program that follows links. `_session` begins, or goes on.
create or replace function esigndoc.open_page(_token bytea, _session bytea, _from json) returns void language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
begin
  if _row.state not in ('sent', 'in_progress') or _asked.status = 'waiting' then
    return;
  end if;
  if _asked.verification = 'none' and (_row.terms ->> 'singleSession')::boolean and _asked.session_hash is null then
    update svc.envelope_recipient set session_hash = _session where id = _asked.id returning * into _asked;
  end if;
  if esigndoc.is_admitted(_row, _asked, _session) then
    perform esigndoc.note_view(_row, _asked, _from);
  end if;
end $$;

create or replace function esigndoc.note_view(_row svc.envelope, _asked svc.envelope_recipient, _from json) returns void
language plpgsql as $$
begin
  if _asked.viewed_at is not null then
    return;
  end if;
  update svc.envelope_recipient set viewed_at = clock_timestamp(), status = case when status in ('notified', 'bounced') then 'viewed'
    else status end where id = _asked.id;
  update svc.envelope set viewed_at = coalesce(viewed_at, clock_timestamp()) where id = _row.id;
  perform esigndoc.log(_row, _asked.name, 'viewed', jsonb_build_object('recipient', esigndoc.name_recipient(_asked),
    'ip', _from ->> 'ip', 'userAgent', _from ->> 'userAgent'));
  perform esigndoc.emit(_row, 'envelope.viewed', _row.state, jsonb_build_object('recipient', esigndoc.name_recipient(_asked)));
  perform esigndoc.wake(_row.id);
end $$;

-- Keeps what a signer has filled in so far.
create or replace function esigndoc.save(_token bytea, _session bytea, _values json, _uploads json, _from json) returns void
language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.find_signer(_token, true);
  _row svc.envelope := esigndoc.lock(null, _asked.envelope_id);
begin
  perform esigndoc.require_turn(_row, _asked);
  perform esigndoc.require_admitted(_row, _asked, _session);
  perform esigndoc.note_view(_row, _asked, _from);
  perform esigndoc.store_values(_row, _asked, _values, _uploads);
end $$;

create or replace function esigndoc.store_values(_row svc.envelope, _asked svc.envelope_recipient, _values json, _uploads json)
returns void language plpgsql as $$
begin
  insert into svc.envelope_upload (id, envelope_id, recipient_id, name, content_type, size_bytes, sha256, object_key)
    select (u ->> 'id')::uuid, _row.id, _asked.id, u ->> 'name', u ->> 'contentType', (u ->> 'sizeBytes')::bigint, u ->> 'sha256',
      u ->> 'key' from json_array_elements(_uploads) u;
  update svc.object set expires_at = 'infinity'
    where key in (select u ->> 'key' from json_array_elements(_uploads) u) and kind = 'signing' and account_id = _row.account_id;
  update svc.envelope_field f set value = nullif(v.value::text, 'null')::json
    from json_each(_values) v where f.envelope_id = _row.id and f.recipient_id = _asked.id and f.id = v.key;
end $$;
