-- Earlier releases wrote the names of accounts and keys into the log of operators, where they outlasted the account. Of accounts that
-- are erased they are taken out, and an entry says what was left of each (Decision 0820).
-- Made again with the functions.
drop trigger if exists append_only on svc.audit_entry;
do $do$
declare
  _id uuid;
  _entry svc.audit_entry;
  _left jsonb;
begin
  for _id in select a.id from svc.account a where a.erased_at is not null loop
    _left := '{}';
    for _entry in select * from svc.audit_entry e where e.subject_kind = 'operator'
        and split_part(e.detail ->> 'subject', ' ', 1) = _id::text
        and (e.detail -> 'before' ?| '{name,identities,wallets}' or e.detail -> 'after' ?| '{name,identities,wallets}') order by e.seq loop
      update svc.audit_entry e set detail = (select jsonb_object_agg(d.key, case when d.key in ('before', 'after')
          then d.value - '{name,identities,wallets}'::text[] when d.key = 'reason' then to_jsonb(replace(replace(d.value #>> '{}',
            coalesce(e.detail #>> '{before,name}', ''), '[erased]'), coalesce(e.detail #>> '{after,name}', ''), '[erased]'))
          else d.value end) from jsonb_each(e.detail) d)
        where e.subject_kind = 'operator' and e.subject_id = _entry.subject_id and e.seq = _entry.seq returning * into _entry;
      _left := _left || jsonb_build_object(_entry.seq::text, encode(audit.hash(_entry), 'hex'));
    end loop;
    if _left <> '{}' then
      perform audit.append('operator', _entry.subject_id, _entry.subject_id, 'service', 'names.erase',
        jsonb_build_object('subject', _id, 'after', _left));
    end if;
  end loop;
end $do$;
