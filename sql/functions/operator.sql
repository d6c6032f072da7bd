-- Decision 0500: let SQL decide what an operator may do.

-- Operators of the console: who they are, what they sign in with, and what they may do. Whoever acts is known by the session in
-- the setting `operator.session` of the transaction, so that no statement can name another.

create or replace function operator.create(_id uuid, _name text, _role svc.operator_role) returns uuid language plpgsql as $$
begin
  insert into svc.operator (id, name, role) values (_id, _name, _role) on conflict (name) do nothing;
  if not found then
    raise exception 'OPERATOR_EXISTS' using errcode = 'SVC01';
  end if;
  return _id;
end $$;

create or replace function operator.find(_name text) returns svc.operator language sql stable as $$
  select * from svc.operator o where o.name = _name
$$;

create or replace function operator.list() returns table (name text, role svc.operator_role, has_totp boolean, passkeys bigint,
  created_at timestamptz, disabled_at timestamptz, seen_at timestamptz) language sql stable as $$
  select o.name, o.role, o.totp_sealed is not null, (select count(*) from svc.operator_passkey p where p.operator_id = o.id),
    o.created_at, o.disabled_at, (select max(s.seen_at) from svc.operator_session s where s.operator_id = o.id)
  from svc.operator o order by o.created_at
$$;

-- Changes the role of an operator, or closes the console to them; their sessions end, and so does what they see of accounts.
-- Whom it is closed to signs in with something new when it is opened again, because the former may be why. One with the role
-- full stays.
create or replace function operator.change(_name text, _role svc.operator_role, _is_disabled boolean) returns void
language plpgsql as $$
declare
  _operator svc.operator;
begin
  perform pg_advisory_xact_lock(hashtext('operators'));
  update svc.operator set role = coalesce(_role, role),
    disabled_at = case when _is_disabled then coalesce(disabled_at, now()) when _is_disabled is null then disabled_at end,
    totp_sealed = case when _is_disabled then null else totp_sealed end
    where name = _name returning * into _operator;
  if _operator.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif not exists (select from svc.operator where role = 'full' and disabled_at is null) then
    raise exception 'LAST_OPERATOR' using errcode = 'SVC01';
  end if;
  if _is_disabled then
    delete from svc.operator_passkey where operator_id = _operator.id;
  end if;
  delete from svc.operator_session where operator_id = _operator.id;
  delete from svc.operator_link where operator_id = _operator.id;
  delete from svc.session where operator = _name;
  delete from svc.sign_in_link where operator = _name;
end $$;

-- A link with which an operator adds what they sign in with. It would serve nobody to whom the console is closed.
create or replace function operator.create_link(_name text, _hash bytea, _minutes integer) returns void language plpgsql as $$
declare
  _operator svc.operator := operator.find(_name);
begin
  if _operator.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _operator.disabled_at is not null then
    raise exception 'OPERATOR_CLOSED' using errcode = 'SVC01';
  end if;
  delete from svc.operator_link where expires_at < now() or operator_id = _operator.id;
  insert into svc.operator_link (hash, operator_id, expires_at) values (_hash, _operator.id, now() + make_interval(mins => _minutes));
end $$;

create or replace function operator.find_by_link(_hash bytea) returns svc.operator language sql stable as $$
  select o.* from svc.operator_link l join svc.operator o on o.id = l.operator_id
  where l.hash = _hash and l.expires_at > now() and o.disabled_at is null
$$;

-- Uses a link up for codes of an authenticator app. What the operator had before no longer signs in.
create or replace function operator.set_totp(_hash bytea, _sealed text, _step bigint) returns boolean language plpgsql as $$
declare
  _operator svc.operator := operator.use_link(_hash);
begin
  update svc.operator set totp_sealed = _sealed, totp_step = _step where id = _operator.id;
  return found;
end $$;

create or replace function operator.add_passkey(_hash bytea, _id text, _public_key bytea, _counter bigint, _name text) returns boolean
language plpgsql as $$
declare
  _operator svc.operator := operator.use_link(_hash);
begin
  if _operator.id is null then
    return false;
  end if;
  insert into svc.operator_passkey (id, operator_id, public_key, counter, name)
    values (_id, _operator.id, _public_key, _counter, _name);
  return true;
end $$;

create or replace function operator.use_link(_hash bytea) returns svc.operator language plpgsql as $$
declare
  _operator svc.operator := operator.find_by_link(_hash);
begin
  delete from svc.operator_link where hash = _hash;
  if not found then
    return null;
  end if;
  delete from svc.operator_session where operator_id = _operator.id;
  return _operator;
end $$;

-- Takes a code of an authenticator app; each serves once, and none from before the last.
create or replace function operator.use_totp(_operator uuid, _step bigint) returns boolean language plpgsql as $$
begin
  update svc.operator set totp_step = _step where id = _operator and totp_step < _step and disabled_at is null;
  return found;
end $$;

create or replace function operator.find_passkey(_id text)
returns table (operator_id uuid, name text, public_key bytea, counter bigint) language sql stable as $$
  select o.id, o.name, p.public_key, p.counter from svc.operator_passkey p join svc.operator o on o.id = p.operator_id
  where p.id = _id and o.disabled_at is null
$$;

-- A counter that does not rise shows a passkey that was copied; many never count.
create or replace function operator.use_passkey(_id text, _counter bigint) returns boolean language plpgsql as $$
begin
  update svc.operator_passkey set counter = _counter, used_at = now()
    where id = _id and (_counter > counter or (_counter = 0 and counter = 0));
  return found;
end $$;

-- Opens a session and ends those that were idle.
create or replace function operator.start_session(_hash bytea, _operator uuid) returns void language sql as $$
  delete from svc.operator_session where seen_at < now() - interval '1 hour' or created_at < now() - interval '12 hours';
  insert into svc.operator_session (hash, operator_id) values (_hash, _operator);
$$;

-- The operator of a session. It ends after an idle hour, and after twelve in any case.
create or replace function operator.find_session(_hash bytea) returns table (id uuid, name text, role svc.operator_role)
language plpgsql as $$
begin
  update svc.operator_session s set seen_at = now() where s.hash = _hash and s.seen_at < now() - interval '1 minute'
    and s.seen_at > now() - interval '1 hour';
  return query select o.id, o.name, o.role from svc.operator_session s join svc.operator o on o.id = s.operator_id
    where s.hash = _hash and s.seen_at > now() - interval '1 hour' and s.created_at > now() - interval '12 hours'
      and o.disabled_at is null;
end $$;

create or replace function operator.close_session(_hash bytea) returns void language sql as $$
  delete from svc.operator_session where hash = _hash
$$;

-- Who acts in this transaction, if they may do what needs a role.
create or replace function operator.require(_role svc.operator_role) returns text language plpgsql as $$
declare
  _word text := nullif(current_setting('operator.session', true), '');
  _found record;
begin
  select * into _found from operator.find_session(decode(coalesce(_word, ''), 'hex'));
  if _found.id is null then
    raise exception 'UNAUTHENTICATED' using errcode = 'SVC01';
  elsif _found.role < _role then
    raise exception 'FORBIDDEN' using errcode = 'SVC01', detail = json_build_object('role', _found.role, 'needed', _role)::text;
  end if;
  perform set_config('operator.name', _found.name, true);
  return _found.name;
end $$;

-- Takes what one form asks for once, also if it is sent twice, as a double click does. What was refused may be sent again: nothing
-- is remembered of it. What is not asked for by a form, such as a mutation, is always taken.
create or replace function operator.require_first_sending() returns void language plpgsql as $$
declare
  _form text := nullif(current_setting('operator.form', true), '');
begin
  if _form is not null and not payment.use_nonce('form ' || _form, now() + interval '1 day') then
    raise exception 'SENT_ALREADY' using errcode = 'SVC01';
  end if;
end $$;

-- The log of what operators did has one chain of hashes for the whole installation.
create or replace function operator.log_id() returns uuid language sql immutable as $$
  select '00000000-0000-0000-0000-000000000000'::uuid
$$;

-- Writes down an act of whoever `operator.require` has found. Nothing is written of what changed nothing.
create or replace function operator.record(_action text, _subject text, _before jsonb, _after jsonb, _reason text) returns void
language plpgsql as $$
begin
  perform audit.append('operator', operator.log_id(), operator.log_id(), current_setting('operator.name'), _action,
    jsonb_strip_nulls(jsonb_build_object('subject', _subject, 'before', _before, 'after', _after,
      'reason', nullif(_reason, ''), 'address', nullif(current_setting('operator.address', true), ''))));
end $$;

-- Decision 0820: erase names from the log of operators and keep its chain.

-- What an entry says, without what it names an account by and without some texts in its reason.
create or replace function operator.without_names(_detail jsonb, _texts text[]) returns jsonb language plpgsql immutable as $$
declare
  _reason text := _detail ->> 'reason';
  _text text;
begin
  for _text in select t from unnest(_texts) t where btrim(t) <> '' order by length(t) desc loop
    _reason := regexp_replace(_reason, '(?<![[:alnum:]])' || regexp_replace(_text, '([^[:alnum:][:space:]])', '\\\1', 'g')
      || '(?![[:alnum:]])', '[erased]', 'gi');
  end loop;
  return (select jsonb_object_agg(d.key, case
      when d.key in ('before', 'after') and jsonb_typeof(d.value) = 'object' then d.value - '{name,identities,wallets}'::text[]
      when d.key = 'reason' then to_jsonb(_reason) else d.value end) from jsonb_each(_detail) d);
end $$;

-- Takes the names of an account out of the log, its mail addresses and wallets too, as long as they and its jobs are known. Earlier
-- releases wrote the name with each act.
create or replace function operator.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _entry svc.audit_entry;
  _texts text[] := array(select a.name from svc.account a where a.id = _account and a.name is not null
    union select i.email from svc.identity i where i.account_id = _account and i.email is not null
    union select w.address from svc.wallet w where w.account_id = _account
    union select e.detail #>> array[part, 'name'] from svc.audit_entry e, unnest('{before,after}'::text[]) part
      where e.subject_kind = 'operator' and e.detail ->> 'subject' = _account::text and e.detail #>> array[part, 'name'] is not null);
  _left jsonb := '{}';
begin
  for _entry in select * from svc.audit_entry e where e.subject_kind = 'operator' and e.subject_id = operator.log_id()
      and (split_part(e.detail ->> 'subject', ' ', 1) = _account::text
        or e.detail ->> 'subject' in (select j.id::text from svc.job j where j.account_id = _account)) order by e.seq loop
    if operator.without_names(_entry.detail, _texts) <> _entry.detail then
      _left := _left || jsonb_build_object(_entry.seq::text,
        encode(audit.leave(_entry, operator.without_names(_entry.detail, _texts)), 'hex'));
    end if;
  end loop;
  if _left <> '{}' then
    perform audit.append('operator', operator.log_id(), operator.log_id(), 'service', 'names.erase',
      jsonb_build_object('subject', _account, 'after', _left));
  end if;
end $$;
