-- Decision 0530: keep sealed documents as outputs, and witness a log when its envelope ends.

create or replace function esigndoc.copy_log(_id uuid) returns void language sql as $$
  update svc.envelope set copied_entries = baton.copy_log(baton_id, 'envelope', id, copied_entries)
    where id = _id and baton_id is not null
$$;

-- The log has its last entry that matters: its copy is witnessed.
create or replace function esigndoc.end_log(_row svc.envelope) returns void language plpgsql as $$
begin
  perform esigndoc.copy_log(_row.id);
  if _row.baton_id is not null then
    perform step.queue('esigndoc.witness', json_build_object('baton', _row.baton_id), now(), _row.id::text);
  end if;
end $$;

-- All that is sealed; null if that was done.
create or replace function esigndoc.read_for_sealing(_id uuid) returns json language sql stable as $$
  select json_build_object('id', e.id, 'accountId', e.account_id, 'envelopeId', esigndoc.format_id(e.id), 'title', e.title,
    'sender', esigndoc.name_sender(e), 'terms', e.terms, 'timezone', e.timezone, 'createdAt', e.created_at, 'sentAt', e.sent_at,
    'sealedAt', e.state_at,
    'files', (select json_agg(json_build_object('name', f.name, 'content', f.content, 'pages', json_array_length(f.pages)) order by f.position)
      from svc.envelope_file f where f.envelope_id = e.id),
    'fields', esigndoc.list_fields(e.id),
    'uploads', (select coalesce(json_agg(json_build_object('id', u.id, 'name', u.name, 'type', u.content_type, 'sizeBytes', u.size_bytes,
      'key', u.object_key)), '[]') from svc.envelope_upload u where u.envelope_id = e.id),
    'recipients', (select json_agg(json_build_object('id', esigndoc.format_recipient_id(r.id), 'name', r.name, 'email', r.email,
      'role', r.role, 'status', r.status, 'authentication', esigndoc.list_proofs(r), 'ip', r.ip, 'userAgent', r.user_agent,
      'notifiedAt', r.notified_at, 'viewedAt', r.viewed_at, 'signedAt', r.signed_at, 'consent', r.consent,
      'signature', r.signature) order by r.turn, r.position) from svc.envelope_recipient r
      where r.envelope_id = e.id and r.role <> 'cc'),
    'events', (select json_agg(json_build_object('at', a.created_at, 'action', a.action, 'actor', a.actor,
      'hash', encode(a.hash, 'hex')) order by a.seq) from svc.audit_entry a
      where a.subject_kind = 'envelope' and a.subject_id = e.id))
  from svc.envelope e where e.id = _id and e.state = 'sealing'
$$;

-- Records bytes that are about to be stored. Unless an envelope or a template takes them over, they are removed later.
create or replace function esigndoc.reserve_object(_account uuid, _key text, _type text) returns void language sql as $$
  insert into svc.object (key, account_id, kind, content_type, expires_at)
    values (_key, _account, 'signing', _type, now() + interval '2 hours')
    on conflict (key) do update set expires_at = greatest(object.expires_at, excluded.expires_at)
$$;

-- Ends an envelope with its sealed documents, once: a second seal of the same is dropped.
create or replace function esigndoc.finish_seal(_id uuid, _outputs json, _seal json) returns boolean language plpgsql as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and state = 'sealing' for no key update;
  if not found then
    return false;
  end if;
  insert into svc.envelope_output (envelope_id, kind, position, name, object_key, size_bytes, sha256, pages)
    select _id, o ->> 'kind', (o ->> 'position')::integer, o ->> 'name', o ->> 'key', (o ->> 'sizeBytes')::bigint, o ->> 'sha256',
      (o ->> 'pages')::integer from json_array_elements(_outputs) o;
  -- They are outputs like those of other calls, which further calls take.
  update svc.object set kind = 'output', name = o ->> 'name', expires_at = now() + interval '100 years',
      size_bytes = (o ->> 'sizeBytes')::bigint
    from json_array_elements(_outputs) o where key = o ->> 'key' and account_id = _row.account_id and kind = 'signing';
  update svc.envelope set seal = _seal, completed_at = clock_timestamp() where id = _id returning * into _row;
  _row := esigndoc.move(_row, 'completed', 'service', jsonb_build_object(
    'signedSha256', (select o ->> 'sha256' from json_array_elements(_outputs) o where o ->> 'kind' = 'signed' limit 1),
    'certificateSha256', (select o ->> 'sha256' from json_array_elements(_outputs) o where o ->> 'kind' = 'certificate' limit 1)));
  perform esigndoc.queue_notice(r, 'completed', 'completed') from svc.envelope_recipient r
    where r.envelope_id = _id and r.status not in ('reassigned', 'bounced', 'waiting');
  perform notification.tell_owner(_row.account_id, 'esigndoc.owner', _id || ' completed',
    jsonb_build_object('envelopeId', esigndoc.format_id(_id), 'title', _row.title, 'status', 'completed'));
  perform esigndoc.end_log(_row);
  return true;
end $$;

-- All that is needed to check an envelope without the service.
create or replace function esigndoc.read_evidence(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return json_build_object('id', esigndoc.format_id(_id), 'status', _row.state, 'title', _row.title,
    'documents', (select coalesce(json_agg(json_build_object('kind', o.kind, 'name', o.name, 'sha256', o.sha256)
      order by o.kind desc, o.position), '[]') from svc.envelope_output o where o.envelope_id = _id),
    'log', (select json_agg(json_build_object('text', audit.text(e), 'hash', encode(e.hash, 'hex')) order by e.seq)
      from svc.audit_entry e where e.subject_kind = 'envelope' and e.subject_id = _id),
    'ledger', witness.show_ledger(_row.baton_id));
end $$;

-- Whether a file is one that this service has sealed, for anybody who has it.
create or replace function esigndoc.find_issued(_account uuid, _sha256 text) returns json language sql stable as $$
  select json_build_object('kind', o.kind, 'completedAt', e.completed_at,
    'envelopeId', case when e.account_id = _account then esigndoc.format_id(e.id) end,
    'title', case when e.account_id = _account then e.title end)
  from svc.envelope_output o join svc.envelope e on e.id = o.envelope_id where o.sha256 = _sha256 limit 1
$$;

-- The stored documents with their hashes: what is signed, what was signed, and what signers have added.
create or replace function esigndoc.list_contents() returns table (key text, sha256 text) language sql stable as $$
  select o.object_key, o.sha256 from svc.envelope_output o
  union select f.original ->> 'key', f.original ->> 'sha256' from svc.envelope_file f
  union select f.content ->> 'key', f.content ->> 'sha256' from svc.envelope_file f
  union select u.object_key, u.sha256 from svc.envelope_upload u
$$;
