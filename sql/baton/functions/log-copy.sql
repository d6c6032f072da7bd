-- Copies what is new in the log of a subject into a ledger, each entry as a line. A ledger that was deleted or witnessed, or is
-- over or full, gets nothing more; the log itself stays whole. One that was extended later gets what it missed. Returns the last
-- entry that the ledger has.
create or replace function baton.copy_log(_baton uuid, _kind text, _subject uuid, _copied integer) returns integer
language plpgsql as $$
declare
  _entry svc.audit_entry;
  _content bytea;
begin
  for _entry in select * from svc.audit_entry where subject_kind = _kind and subject_id = _subject and seq > _copied
      order by seq loop
    _content := convert_to(audit.text(_entry) || chr(10), 'utf8');
    begin
      perform baton.put_entry(b, _kind, _content, json_build_object('size', octet_length(_content),
        'type', 'application/x-ndjson', 'sha256', encode(sha256(_content), 'hex')))
        from (select * from svc.baton where id = _baton and deleted_at is null and witnessed_at is null
          and expires_at > clock_timestamp() for no key update) b;
      exit when not found;
    exception when sqlstate 'SVC01' then
      exit;
    end;
    _copied := _entry.seq;
  end loop;
  return _copied;
end $$;

-- The logs of which these ledgers have copies are deleted, and so are the copies.
create or replace function baton.forget_copies(_ids uuid[]) returns void language sql as $$
  update svc.baton set deleted_at = coalesce(deleted_at, clock_timestamp()), deletion = coalesce(deletion, 'forgotten'), name = null,
    purge_at = now() where id = any (_ids) and purge_at is not null
$$;
