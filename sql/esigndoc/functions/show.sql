-- An envelope as its owner sees it. Nonces of links stay within the service.
create or replace function esigndoc.show(_row svc.envelope) returns json language sql stable as $$
  select json_build_object('id', esigndoc.format_id(_row.id), 'status', _row.state, 'title', _row.title,
    'pages', (select coalesce(sum(json_array_length(f.pages)), 0) from svc.envelope_file f where f.envelope_id = _row.id),
    'files', (select coalesce(json_agg(json_build_object('name', f.name, 'sha256', f.content ->> 'sha256',
      'originalSha256', f.original ->> 'sha256', 'pages', json_array_length(f.pages)) order by f.position), '[]') from svc.envelope_file f where f.envelope_id = _row.id),
    'signingOrder', _row.signing_order, 'timezone', _row.timezone, 'terms', esigndoc.show_terms(_row.terms),
    'recipients', (select coalesce(json_agg(esigndoc.show_recipient(r) order by r.position), '[]')
      from svc.envelope_recipient r where r.envelope_id = _row.id),
    'fields', esigndoc.list_fields(_row.id), 'progress', esigndoc.count_progress(_row.id),
    'templateId', case when _row.template_id is not null then esigndoc.format_template_id(_row.template_id) end,
    'templateVersion', _row.template_version,
    'createdAt', _row.created_at, 'sentAt', _row.sent_at, 'completedAt', _row.completed_at, 'expiresAt', _row.expires_at,
    'remindersSent', (select coalesce(sum(r.reminders_sent), 0) from svc.envelope_recipient r where r.envelope_id = _row.id),
    'chargedMicros', _row.charge_micros::text, 'referenceId', _row.reference_id, 'metadata', _row.metadata,
    'batonId', _row.baton_id,
    'signedSha256', (select o.sha256 from svc.envelope_output o where o.envelope_id = _row.id and o.kind = 'signed'
      order by o.position limit 1), 'seal', _row.seal)
$$;

-- The options of an envelope, without the bytes of its logo, which would make lists of envelopes large.
create or replace function esigndoc.show_terms(_terms json) returns json language sql immutable as $$
  select case when _terms #> '{branding,logo}' is null then _terms
    else jsonb_set(_terms::jsonb #- '{branding,logo}', '{branding,hasLogo}', 'true')::json end
$$;

create or replace function esigndoc.show_recipient(_row svc.envelope_recipient) returns json language sql stable as $$
  select json_build_object('id', esigndoc.format_recipient_id(_row.id), 'name', _row.name, 'email', _row.email,
    'phone', _row.phone, 'role', _row.role, 'order', _row.turn, 'language', _row.language, 'delivery', _row.delivery,
    'verification', _row.verification, 'wallet', _row.wallet, 'metadata', _row.metadata, 'status', _row.status,
    'deliveryError', _row.delivery_error, 'linkNonce', _row.link_nonce, 'notifiedAt', _row.notified_at, 'viewedAt', _row.viewed_at,
    'signedAt', _row.signed_at, 'declineReason', _row.decline_reason,
    'reassignedTo', esigndoc.format_recipient_id(_row.reassigned_to), 'remindersSent', _row.reminders_sent)
$$;

-- How a recipient is named in events.
create or replace function esigndoc.name_recipient(_row svc.envelope_recipient) returns jsonb language sql immutable as $$
  select jsonb_build_object('id', esigndoc.format_recipient_id(_row.id), 'name', _row.name, 'email', _row.email, 'role', _row.role)
$$;

create or replace function esigndoc.list_fields(_envelope uuid) returns json language sql stable as $$
  select coalesce(json_agg(f.spec::jsonb || jsonb_build_object('id', f.id,
    'recipient', esigndoc.format_recipient_id(f.recipient_id), 'value', f.value) order by f.position), '[]')
  from svc.envelope_field f where f.envelope_id = _envelope
$$;

-- Those who must act, and how many of them have.
create or replace function esigndoc.count_progress(_envelope uuid) returns json language sql stable as $$
  select json_build_object('signed', count(*) filter (where r.status = 'completed'), 'total', count(*))
  from svc.envelope_recipient r where r.envelope_id = _envelope and r.role in ('signer', 'witness', 'approver')
    and r.status <> 'reassigned'
$$;

create or replace function esigndoc.read(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return esigndoc.show(_row);
end $$;

create or replace function esigndoc.read_status(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return json_build_object('id', esigndoc.format_id(_row.id), 'status', _row.state, 'progress', esigndoc.count_progress(_id),
    'recipients', (select json_agg(json_build_object('id', esigndoc.format_recipient_id(r.id), 'status', r.status, 'order', r.turn)
      order by r.position) from svc.envelope_recipient r where r.envelope_id = _id),
    'nextRecipients', (select coalesce(json_agg(esigndoc.format_recipient_id(r.id) order by r.position), '[]')
      from svc.envelope_recipient r
      where r.envelope_id = _id and _row.state in ('sent', 'in_progress') and esigndoc.is_asked(r)));
end $$;

-- Whether a recipient has the turn and has not acted.
create or replace function esigndoc.is_asked(_row svc.envelope_recipient) returns boolean language sql immutable as $$
  select _row.role in ('signer', 'witness', 'approver') and _row.status in ('notified', 'viewed', 'bounced')
$$;

create or replace function esigndoc.list(_account uuid, _filter json, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(esigndoc.show(e::svc.envelope) order by e.created_at desc, e.id), '[]') from (
    select * from svc.envelope where account_id = _account
      and (_filter ->> 'status' is null or state = _filter ->> 'status')
      and (_filter ->> 'referenceId' is null or reference_id = _filter ->> 'referenceId')
      and (_filter ->> 'templateId' is null or template_id = (_filter ->> 'templateId')::uuid)
      and (_filter ->> 'batchId' is null or batch_id = (_filter ->> 'batchId')::uuid)
      and (_filter ->> 'since' is null or created_at >= (_filter ->> 'since')::timestamptz)
      and (_filter ->> 'until' is null or created_at < (_filter ->> 'until')::timestamptz)
      and (_filter ->> 'recipientEmail' is null or exists (select from svc.envelope_recipient r
        where r.envelope_id = envelope.id and lower(r.email) = lower(_filter ->> 'recipientEmail')))
    order by created_at desc, id limit _limit offset _offset) e
$$;

-- The stored documents of an envelope: as given, as they are signed, or what came of the seal.
create or replace function esigndoc.list_documents(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return esigndoc.show_documents(_row);
end $$;

create or replace function esigndoc.show_documents(_row svc.envelope) returns json language sql stable as $$
  select json_build_object('status', _row.state, 'title', _row.title,
    'files', (select json_agg(json_build_object('name', f.name, 'original', f.original, 'content', f.content) order by f.position)
      from svc.envelope_file f where f.envelope_id = _row.id),
    'outputs', (select coalesce(json_agg(json_build_object('kind', o.kind, 'name', o.name, 'key', o.object_key,
      'sizeBytes', o.size_bytes, 'sha256', o.sha256) order by o.kind desc, o.position), '[]')
      from svc.envelope_output o where o.envelope_id = _row.id))
$$;
