-- What `cli ledger verify` reads of the database, and what it found last.

-- The functions that list violated rules, of the platform and of products.
create or replace function installation.list_rules() returns table (name text) language sql stable as $$
  select format('%I.%I', n.nspname, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.proname = 'check_invariants' and p.pronargs = 0 order by 1
$$;

create or replace function installation.count_books() returns json language sql stable as $$
  select json_build_object('accounts', (select count(*) from svc.account), 'transfers', (select count(*) from svc.transfer),
    'logs', (select count(distinct (a.subject_kind, a.subject_id)) from svc.audit_entry a),
    'logEntries', (select count(*) from svc.audit_entry))
$$;

-- Whether an object should be there: it has not expired, and does not wait for its bytes. What waits has an end, and no size.
create or replace function installation.is_required(_object svc.object) returns boolean language sql stable as $$
  select _object.expires_at > now() and (_object.size_bytes is not null or _object.expires_at = 'infinity')
$$;

create or replace function installation.list_required_objects(_after text, _limit integer)
returns table (key text, size_bytes bigint) language sql stable as $$
  select o.key, o.size_bytes from svc.object o where o.key > _after and installation.is_required(o) order by o.key limit _limit
$$;

create or replace function installation.is_object_required(_key text) returns boolean language sql stable as $$
  select exists (select from svc.object o where o.key = _key and installation.is_required(o))
$$;

create or replace function installation.record_book_check(_started_at timestamptz, _counts jsonb, _fault_count integer,
  _faults jsonb) returns void language sql as $$
  insert into svc.book_check (started_at, counts, fault_count, faults) values (_started_at, _counts, _fault_count, _faults);
  delete from svc.book_check where ended_at < now() - interval '1 year';
$$;

create or replace function installation.read_last_book_check() returns json language sql stable as $$
  select json_build_object('startedAt', c.started_at, 'endedAt', c.ended_at, 'counts', c.counts, 'faultCount', c.fault_count,
    'faults', c.faults) from svc.book_check c order by c.id desc limit 1
$$;
