-- Tells all processes of the api what a client says of a call that one of them is performing.
create or replace function mcp.tell(_message json) returns void language sql as $$
  select pg_notify('mcp', _message::text)
$$;
