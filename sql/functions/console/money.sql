-- What the acts of the schema `admin` are made of, and the questions that pages of the console ask. PostGraphile does not serve it.

-- Numbers of money for people.
create or replace function console.usd(_micros numeric) returns text language sql immutable as $$
  select trim_scale(_micros / 1000000)::text
$$;
