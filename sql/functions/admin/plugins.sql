-- Operations that an operator has added.

create view admin.plugin as
  select p.file, p.name, p.version, p.fault, p.author_id, p.share_percent, p.changed_at from svc.plugin p;
comment on view admin.plugin is E'@primaryKey file\n@foreignKey (author_id) references admin.account (id)|@fieldName author|@foreignFieldName plugins\nFiles of the folder of plugins: what is in service, and why newer content is refused.';
