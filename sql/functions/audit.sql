-- A log of each subject that can only grow: every entry has the hash of the one before it, so that a change of any of them is
-- found. Its owner may read it. It goes with its subject, and with its account.

create or replace function audit.append(_kind text, _subject uuid, _account uuid, _actor text, _action text, _detail jsonb)
returns void language plpgsql as $$
declare
  _last svc.audit_entry;
  _entry svc.audit_entry;
begin
  perform pg_advisory_xact_lock(hashtextextended(_kind || ' ' || _subject, 0));
  select * into _last from svc.audit_entry e where e.subject_kind = _kind and e.subject_id = _subject order by e.seq desc limit 1;
  _entry := row(_kind, _subject, coalesce(_last.seq, 0) + 1, _account, _actor, _action, coalesce(_detail, '{}'),
    clock_timestamp(), _last.hash, null);
  _entry.hash := audit.hash(_entry);
  insert into svc.audit_entry select _entry.*;
end $$;

-- What is hashed of an entry, which its owner can do again (decision 0237).
create or replace function audit.text(_entry svc.audit_entry) returns text language sql stable as $$
  select json_build_array(_entry.subject_kind, _entry.subject_id, _entry.seq, _entry.account_id, _entry.actor,
    _entry.action, _entry.detail, extract(epoch from _entry.created_at)::text, encode(_entry.previous, 'hex'))::text
$$;

create or replace function audit.hash(_entry svc.audit_entry) returns bytea language sql stable as $$
  select sha256(convert_to(audit.text(_entry), 'utf8'))
$$;

-- Whether an account owns what an entry names as that of another, whose wallet has joined it since.
create or replace function audit.is_owner(_named uuid, _account uuid) returns boolean language sql stable as $$
  select _named = _account or exists (select from svc.account a where a.id = _named and a.moved_to = _account)
$$;

-- Whether an entry is as it was written, or as a later entry says that it was left when names were erased from it.
create or replace function audit.is_as_written(_entry svc.audit_entry) returns boolean language sql stable as $$
  select _entry.hash = audit.hash(_entry) or exists (select from svc.audit_entry l
    where l.subject_kind = _entry.subject_kind and l.subject_id = _entry.subject_id and l.seq > _entry.seq
      and l.action = 'names.erase' and l.detail -> 'after' ->> _entry.seq::text = encode(audit.hash(_entry), 'hex'))
$$;

-- The entries of a subject for its owner, the oldest first.
create or replace function audit.read(_account uuid, _kind text, _subject uuid) returns json language plpgsql stable as $$
declare
  _entries json;
begin
  select json_agg(json_build_object('seq', e.seq, 'at', e.created_at, 'actor', e.actor, 'action', e.action, 'detail', e.detail,
      'previous', encode(e.previous, 'hex'), 'hash', encode(e.hash, 'hex')) order by e.seq) into _entries
    from svc.audit_entry e where e.subject_kind = _kind and e.subject_id = _subject and audit.is_owner(e.account_id, _account);
  if _entries is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return _entries;
end $$;

-- The entries after a number, the oldest first. Of a subject of another account it says that there is none.
create or replace function audit.list(_account uuid, _kind text, _subject uuid, _after integer, _limit integer) returns json
language plpgsql stable as $$
begin
  if not exists (select from svc.audit_entry e
    where e.subject_kind = _kind and e.subject_id = _subject and audit.is_owner(e.account_id, _account)) then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return (select coalesce(json_agg(json_build_object('seq', e.seq, 'at', e.created_at, 'actor', e.actor, 'action', e.action,
      'detail', e.detail, 'previous', encode(e.previous, 'hex'), 'hash', encode(e.hash, 'hex'), 'text', audit.text(e))
      order by e.seq), '[]')
    from (select a.* from svc.audit_entry a where a.subject_kind = _kind and a.subject_id = _subject
      and audit.is_owner(a.account_id, _account) and a.seq > _after order by a.seq limit _limit) e);
end $$;

-- The number of the first entry that was changed or does not follow the one before it, or null if the whole log is as written.
create or replace function audit.verify(_kind text, _subject uuid) returns integer language sql stable as $$
  select min(e.seq) from (
    select a.seq, audit.is_as_written(a) and a.previous is not distinct from lag(a.hash) over (order by a.seq)
      and a.seq = row_number() over (order by a.seq) as is_whole
    from svc.audit_entry a where a.subject_kind = _kind and a.subject_id = _subject) e
  where not e.is_whole
$$;

-- Deletes the logs of subjects that are deleted themselves.
create or replace function audit.erase_subjects(_kind text, _subjects uuid[]) returns void language plpgsql as $$
begin
  perform set_config('audit.is_erasing', 'yes', true);
  delete from svc.audit_entry where subject_kind = _kind and subject_id = any (_subjects);
  perform set_config('audit.is_erasing', '', true);
end $$;

create or replace function audit.erase_account(_account uuid) returns void language plpgsql as $$
begin
  perform set_config('audit.is_erasing', 'yes', true);
  delete from svc.audit_entry where account_id = _account
    or account_id in (select a.id from svc.account a where a.moved_to = _account);
  perform set_config('audit.is_erasing', '', true);
end $$;

-- Leaves less of an entry than was written; whoever does so appends an entry with its hash.
create or replace function audit.leave(_entry svc.audit_entry, _detail jsonb) returns bytea language plpgsql as $$
begin
  perform set_config('audit.is_erasing', 'names', true);
  update svc.audit_entry set detail = _detail
    where subject_kind = _entry.subject_kind and subject_id = _entry.subject_id and seq = _entry.seq returning * into _entry;
  perform set_config('audit.is_erasing', '', true);
  return audit.hash(_entry);
end $$;

create or replace function audit.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('audit.is_erasing', true) = 'yes' then
    return old;
  elsif tg_op = 'UPDATE' and current_setting('audit.is_erasing', true) = 'names' then
    return new;
  end if;
  raise exception 'the audit log is append-only';
end $$;

create or replace trigger append_only before update or delete on svc.audit_entry
  for each row execute function audit.refuse_change();
create or replace trigger no_truncate before truncate on svc.audit_entry
  for each statement execute function audit.refuse_change();

-- Of every log, the number of the first entry that was changed or does not follow the one before it. It reads all entries.
create or replace function audit.list_faults() returns table (kind text, subject uuid, seq integer) language sql stable as $$
  select e.subject_kind, e.subject_id, min(e.seq) from (
    select a.subject_kind, a.subject_id, a.seq, audit.is_as_written(a) and a.previous is not distinct from lag(a.hash) over w
      and a.seq = row_number() over w as is_whole
    from svc.audit_entry a window w as (partition by a.subject_kind, a.subject_id order by a.seq)) e
  where not e.is_whole group by 1, 2
$$;
