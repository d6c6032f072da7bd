-- The states that products declare for their tables, and the event of each. Written on every migrate.
create table svc.transition_rule (
  table_name text not null,
  state text not null,
  next_states text[] not null,
  event text,
  primary key (table_name, state)
);
