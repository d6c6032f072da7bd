-- Gives an operator a link by which they see and decide what waits; decisions are logged with their name.
create or replace function idverify.review_as_operator(_token bytea, _hours integer) returns void language plpgsql as $$
declare
  _name text := operator.require('support');
begin
  perform idverify.add_review_link(_token, _name, _hours);
  perform operator.record('identity.review', _hours || ' hours', null, null, null);
end $$;
