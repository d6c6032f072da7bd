-- The functions and the type of places and roads are now in the schema location.
do $$
declare
  _function regprocedure;
begin
  for _function in
    select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('place', 'road') order by p.oid desc
  loop
    execute format('drop function %s', _function);
  end loop;
end $$;
create schema if not exists location;
alter type place.hit set schema location;
drop schema place;
drop schema road;
