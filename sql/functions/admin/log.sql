-- Who runs the service, and what they did.

create view admin.operator as
  select o.name, o.role, o.has_totp, o.passkeys, o.created_at, o.disabled_at, o.seen_at from operator.list() o;
comment on view admin.operator is E'@primaryKey name\nThose who may sign in to the console.';

create view admin.act as
  select e.seq, e.created_at, e.actor as operator, e.action, e.detail ->> 'subject' as subject, e.detail -> 'before' as before,
    e.detail -> 'after' as after, e.detail ->> 'reason' as reason, e.detail ->> 'address' as address, encode(e.hash, 'hex') as hash
  from svc.audit_entry e where e.subject_kind = 'operator' and e.subject_id = operator.log_id();
comment on view admin.act is E'@primaryKey seq\n@behavior +attribute:filterBy\nWhat operators did, in a chain of hashes.';

create or replace function admin.change_operator(_name text, _role svc.operator_role, _is_disabled boolean) returns boolean
language plpgsql volatile as $$
declare
  _before svc.operator;
begin
  perform operator.require('full');
  _before := operator.find(_name);
  perform operator.change(_name, _role, _is_disabled);
  perform operator.record('operator.change', _name,
    jsonb_build_object('role', _before.role, 'isDisabled', _before.disabled_at is not null),
    jsonb_strip_nulls(jsonb_build_object('role', _role, 'isDisabled', _is_disabled)), null);
  return true;
end $$;

-- The number of the first entry of the log that is not as it was written; null if all are.
create or replace function admin.verify_log() returns integer language sql stable as $$
  select audit.verify('operator', operator.log_id())
$$;
