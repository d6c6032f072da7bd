-- Keeps screenings and ends the job that pays for them, in one transaction.
create or replace function screening.keep(_job json, _rows json, _result json, _days integer) returns void language plpgsql as $$
begin
  perform screening.keep_rows((_job ->> 'account')::uuid, (_job ->> 'id')::uuid, _rows, _days);
  perform job.settle(_job, _result);
end $$;

-- Keeps screenings that a job of this or another product has paid for.
create or replace function screening.keep_rows(_account uuid, _job uuid, _rows json, _days integer) returns void
language plpgsql as $$
begin
  insert into svc.screening (id, account_id, job_id, subject_key, reference_id, subject, result, purge_at)
    select (r.value ->> 'id')::uuid, _account, _job, r.value ->> 'subjectKey',
      r.value ->> 'referenceId', (r.value -> 'subject')::jsonb, (r.value -> 'result')::jsonb, now() + make_interval(days => _days)
    from json_array_elements(_rows) r;
  perform screening.ensure_forget();
end $$;

-- One step a day forgets what is due; screenings at the same time must not wait for each other's.
create or replace function screening.ensure_forget() returns void language plpgsql as $$
begin
  if not exists (select from lane_step._private_jobs j where j.key = 'screening.forget:daily') then
    perform step.queue('screening.forget', '{}', now() + interval '1 day', 'daily');
  end if;
end $$;

create or replace function screening.forget_due() returns integer language plpgsql as $$
declare
  _removed integer;
begin
  delete from svc.screening where purge_at <= now();
  get diagnostics _removed = row_count;
  -- Queued under the key of the running step, it runs once more.
  if exists (select from svc.screening) then
    perform step.queue('screening.forget', '{}', now() + interval '1 day', 'daily');
  end if;
  return _removed;
end $$;

-- Forgets a screening of another product, with the person whom that product forgets.
create or replace function screening.forget_one(_account uuid, _id uuid) returns void language sql as $$
  delete from svc.screening where id = _id and account_id = _account
$$;

create or replace function screening.read(_account uuid, _id uuid) returns json language plpgsql stable as $$
declare
  _row svc.screening;
begin
  select * into _row from svc.screening where id = _id and account_id = _account and purge_at > now();
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  return json_build_object('subjectKey', _row.subject_key, 'subject', _row.subject, 'result', _row.result,
    'createdAt', _row.created_at, 'keptUntil', _row.purge_at);
end $$;

create or replace function screening.list(_account uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('screeningId', 'scr_' || s.id, 'name', s.subject ->> 'name', 'referenceId', s.reference_id,
    'status', s.result ->> 'status', 'matches', jsonb_array_length(s.result -> 'matches'), 'createdAt', s.created_at)
    order by s.created_at desc, s.id), '[]')
  from (select * from svc.screening where account_id = _account and purge_at > now() order by created_at desc, id limit _limit) s
$$;

-- The matches of subjects that their account has dismissed.
create or replace function screening.list_dismissed(_account uuid, _subject_keys text[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(d.subject_key, d.entity_id, d.hash)), '[]') from svc.screening_dismissal d
  where d.account_id = _account and d.subject_key = any (_subject_keys)
$$;

-- Dismisses a match of a screening, as the entry is in it.
create or replace function screening.dismiss(_account uuid, _id uuid, _entity text, _reason text) returns json language plpgsql as $$
declare
  _row svc.screening;
  _match jsonb;
  _made svc.screening_dismissal;
begin
  select * into _row from svc.screening where id = _id and account_id = _account and purge_at > now();
  select m into _match from jsonb_array_elements(_row.result -> 'matches') m where m ->> 'entityId' = _entity;
  if _match is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  insert into svc.screening_dismissal (account_id, subject_key, entity_id, hash, reason)
    values (_account, _row.subject_key, _entity, _match ->> 'entryHash', _reason)
    on conflict (account_id, subject_key, entity_id) do update set hash = excluded.hash, reason = excluded.reason, created_at = now()
    returning * into _made;
  return screening.show_dismissal(_made);
end $$;

create or replace function screening.show_dismissal(_row svc.screening_dismissal) returns json language sql immutable as $$
  select json_build_object('subjectKey', _row.subject_key, 'entityId', _row.entity_id, 'entryHash', _row.hash,
    'reason', _row.reason, 'createdAt', _row.created_at)
$$;

create or replace function screening.list_dismissals(_account uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(screening.show_dismissal(d) order by d.created_at desc), '[]')
  from (select * from svc.screening_dismissal where account_id = _account order by created_at desc limit _limit) d
$$;

create or replace function screening.undo_dismissal(_account uuid, _id uuid, _entity text) returns void language plpgsql as $$
begin
  delete from svc.screening_dismissal d using svc.screening s
    where s.id = _id and s.account_id = _account and d.account_id = _account and d.subject_key = s.subject_key and d.entity_id = _entity;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

create or replace function screening.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(e.kept), '[]') from (
    select to_jsonb(s) - 'account_id' || '{"kind": "screening"}' as kept from svc.screening s where s.account_id = _account
    union all select to_jsonb(d) - 'account_id' || '{"kind": "dismissal"}' from svc.screening_dismissal d where d.account_id = _account
    union all select to_jsonb(m) - 'account_id' || '{"kind": "monitor"}' from svc.screening_monitor m where m.account_id = _account
    union all select jsonb_build_object('kind', 'list', 'key', l.key, 'title', l.title, 'created_at', l.created_at, 'entries',
        (select coalesce(jsonb_agg(n.body), '[]') from svc.screening_entity n where n.list_id = l.id and n.end_version is null))
      from svc.screening_list l where l.account_id = _account) e
$$;

create or replace function screening.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _list integer;
begin
  delete from svc.screening_monitor where account_id = _account;
  delete from svc.screening_dismissal where account_id = _account;
  delete from svc.screening where account_id = _account;
  for _list in select id from svc.screening_list where account_id = _account loop
    perform screening.drop_list(_list);
  end loop;
end $$;

-- Deletes the list of an account with all of its versions and words.
create or replace function screening.drop_list(_list integer) returns void language plpgsql as $$
begin
  delete from svc.screening_word_count c using svc.screening_word w where w.list_id = _list and c.word_id = w.id;
  delete from svc.screening_word where list_id = _list;
  delete from svc.screening_entity where list_id = _list;
  delete from svc.screening_seen s using svc.screening_version v where v.list_id = _list and s.version_id = v.id;
  delete from svc.screening_list where id = _list;
end $$;
