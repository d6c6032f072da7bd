create or replace function esigndoc.insert_fields(_envelope uuid, _fields json) returns void language plpgsql as $$
declare
  _before integer := (select coalesce(max(position), 0) from svc.envelope_field where envelope_id = _envelope);
begin
  insert into svc.envelope_field (envelope_id, id, position, recipient_id, spec, value)
    select _envelope, f ->> 'id', _before + n, (f ->> 'recipientId')::uuid, f -> 'spec', nullif((f -> 'value')::text, 'null')::json
    from json_array_elements(_fields) with ordinality t (f, n);
  if _before + json_array_length(_fields) > 500 then
    raise exception 'ENVELOPE_FULL' using errcode = 'SVC01', detail = '{"max":500}';
  end if;
exception when unique_violation then
  raise exception 'INVALID_PARAM' using errcode = 'SVC01', detail = '{"field":"fields","reason":"each has an id of its own"}';
end $$;

-- What fields are placed by: the files of a draft, and its recipients.
create or replace function esigndoc.read_draft(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.envelope;
begin
  select * into _row from svc.envelope where id = _id and account_id = _account;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform esigndoc.require_draft(_row);
  return json_build_object('id', _id, 'title', _row.title, 'terms', _row.terms, 'signing_order', _row.signing_order,
    'recipients', (select json_agg(json_build_object('id', r.id, 'email', r.email, 'role', r.role, 'name', r.name,
      'verification', r.verification, 'delivery', r.delivery, 'phone', r.phone) order by r.position) from svc.envelope_recipient r where r.envelope_id = _id),
    'files', (select json_agg(json_build_object('name', f.name, 'original', f.original, 'content', f.content, 'pages', f.pages)
      order by f.position) from svc.envelope_file f where f.envelope_id = _id),
    'fields', esigndoc.list_fields(_id));
end $$;

-- Adds fields to a draft. Placing them by text may have changed its files.
create or replace function esigndoc.add_fields(_account uuid, _id uuid, _fields json, _changed json) returns json
language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
begin
  perform esigndoc.require_draft(_row);
  perform esigndoc.insert_fields(_id, _fields);
  update svc.envelope_file set content = c -> 'content', pages = c -> 'pages' from json_array_elements(_changed) c
    where envelope_id = _id and position = (c ->> 'position')::integer;
  perform esigndoc.keep_objects(_account, _id);
  return esigndoc.list_fields(_id);
end $$;

create or replace function esigndoc.change_field(_account uuid, _id uuid, _field text, _change json) returns json
language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
begin
  perform esigndoc.require_draft(_row);
  update svc.envelope_field set spec = _change -> 'spec', recipient_id = (_change ->> 'recipientId')::uuid,
    value = nullif((_change -> 'value')::text, 'null')::json where envelope_id = _id and id = _field;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01', detail = '{"field":"fieldId"}';
  end if;
  return esigndoc.list_fields(_id);
end $$;

create or replace function esigndoc.remove_field(_account uuid, _id uuid, _field text) returns json language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
begin
  perform esigndoc.require_draft(_row);
  delete from svc.envelope_field where envelope_id = _id and id = _field;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01', detail = '{"field":"fieldId"}';
  end if;
  return esigndoc.list_fields(_id);
end $$;

-- Changes what can still be changed after the sending: the title, the end, reminders, and the address of a recipient who has not
-- acted. Another address gets a link of its own; the old one is of no use any more.
create or replace function esigndoc.change(_account uuid, _id uuid, _changes json) returns json language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
  _change json;
begin
  perform esigndoc.refuse_if_over(_row);
  update svc.envelope set title = coalesce(_changes ->> 'title', title),
      terms = case when _changes -> 'reminders' is null then terms
        else (terms::jsonb || jsonb_build_object('reminders', _changes -> 'reminders'))::json end,
      expires_in_days = coalesce((_changes ->> 'expiresInDays')::integer, expires_in_days),
      expires_at = case when sent_at is not null and _changes ->> 'expiresInDays' is not null
        then esigndoc.add_days(clock_timestamp(), (_changes ->> 'expiresInDays')::integer, timezone) else expires_at end
    where id = _id returning * into _row;
  if _changes -> 'reminders' is not null then
    update svc.envelope_recipient r set remind_at = esigndoc.next_reminder(_row, r)
      where r.envelope_id = _id and esigndoc.is_asked(r);
  end if;
  for _change in select json_array_elements(coalesce(_changes -> 'recipients', '[]')) loop
    perform esigndoc.change_recipient(_row, _change);
  end loop;
  perform esigndoc.log(_row, 'owner', 'changed', (_changes::jsonb - 'recipients') || jsonb_build_object('recipients', (
    select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', c ->> 'wireId', 'name', c ->> 'name', 'email', c ->> 'email'))), '[]')
    from json_array_elements(coalesce(_changes -> 'recipients', '[]')) c)));
  perform esigndoc.queue_timer(_id);
  return esigndoc.show(_row);
end $$;

create or replace function esigndoc.change_recipient(_row svc.envelope, _change json) returns void language plpgsql as $$
declare
  _asked svc.envelope_recipient := esigndoc.require_open_recipient(_row, (_change ->> 'id')::uuid);
begin
  update svc.envelope_recipient set name = coalesce(_change ->> 'name', name), email = coalesce(_change ->> 'email', email)
    where id = _asked.id;
  if _change ->> 'email' is not null and _change ->> 'email' is distinct from _asked.email then
    perform esigndoc.renew_link(_row, _asked, _change);
  end if;
end $$;

create or replace function esigndoc.require_open_recipient(_row svc.envelope, _id uuid) returns svc.envelope_recipient
language plpgsql as $$
declare
  _asked svc.envelope_recipient;
begin
  select * into _asked from svc.envelope_recipient where envelope_id = _row.id and id = _id;
  if not found then
    raise exception 'RECIPIENT_UNKNOWN' using errcode = 'SVC01', detail = json_build_object(
      'recipient', esigndoc.format_recipient_id(_id))::text;
  elsif _asked.status in ('completed', 'declined', 'reassigned') then
    raise exception 'RECIPIENT_DONE' using errcode = 'SVC01', detail = json_build_object('status', _asked.status)::text;
  end if;
  return _asked;
end $$;

-- Gives a recipient a new link, and whoever has the old one nothing.
create or replace function esigndoc.renew_link(_row svc.envelope, _asked svc.envelope_recipient, _link json) returns void
language plpgsql as $$
begin
  insert into svc.envelope_replaced_link (token_hash, recipient_id) values (_asked.token_hash, _asked.id);
  update svc.envelope_recipient set link_nonce = _link ->> 'linkNonce', token_hash = (_link ->> 'tokenHash')::bytea,
      session_hash = null, verified_at = null, code_hash = null, code_tries = 0, codes_sent = 0, delivery_error = null,
      status = case when status in ('viewed', 'bounced') then 'notified' else status end
    where id = _asked.id returning * into _asked;
  perform esigndoc.log(_row, 'owner', 'link_renewed', jsonb_build_object('recipient', esigndoc.name_recipient(_asked)));
  if _asked.status = 'notified' then
    perform esigndoc.queue_notice(_asked, 'asked', _asked.link_nonce);
  end if;
end $$;

create or replace function esigndoc.make_link(_account uuid, _id uuid, _recipient uuid, _link json) returns json
language plpgsql as $$
declare
  _row svc.envelope := esigndoc.lock(_account, _id);
begin
  perform esigndoc.require_out(_row);
  perform esigndoc.renew_link(_row, esigndoc.require_open_recipient(_row, _recipient), _link);
  return (select esigndoc.show_recipient(r) from svc.envelope_recipient r where r.id = _recipient);
end $$;
