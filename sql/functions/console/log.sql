create or replace function console.search_acts(_operator text, _subject text, _action text, _first integer, _offset integer)
returns setof admin.act language plpgsql stable as $$
begin
  return query select * from admin.act a
    where (_operator is null or a.operator = _operator) and (_action is null or starts_with(a.action, _action))
      and (_subject is null or starts_with(a.subject, _subject))
    order by a.seq desc limit _first offset _offset;
end $$;

-- Adds an operator, or changes the role of one; the console gives them a link to sign in with.
create or replace function console.create_operator(_id uuid, _name text, _role svc.operator_role, _link bytea) returns void
language plpgsql volatile as $$
begin
  perform operator.require('full');
  perform operator.create(_id, _name, _role);
  perform operator.create_link(_name, _link, 60);
  perform operator.record('operator.create', _name, null, jsonb_build_object('role', _role), null);
end $$;

create or replace function console.link_operator(_name text, _link bytea) returns void language plpgsql volatile as $$
begin
  perform operator.require('full');
  perform operator.create_link(_name, _link, 60);
  perform operator.record('operator.link', _name, null, null, null);
end $$;
