import { readTemplate } from '../../../../sql/esigndoc/templates.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseTemplateId } from '../schema.ts'
import { Template, TemplateParam } from '../template-body.ts'
import { describeTemplate } from '../templates.ts'

export default route({
  at: 'GET /v1/esigndoc/templates/{templateId}',
  summary: 'Read a template: its roles, its fields and its defaults.',
  keywords: 'fields of a signature template',
  auth: ['key', 'wallet'],
  params: TemplateParam,
  reply: { status: 200, schema: Template },
  errors: OWNER_ERRORS,
  handle: async ({ caller, params }, { db }) =>
    describeTemplate(await readTemplate(db, caller.accountId, parseTemplateId(params.templateId))),
})
