import { Type } from 'typebox'
import { deleteTemplate } from '../../../../sql/esigndoc/templates.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, parseTemplateId } from '../schema.ts'
import { TemplateParam } from '../template-body.ts'

export default route({
  at: 'DELETE /v1/esigndoc/templates/{templateId}',
  summary: 'Delete a template. Envelopes that were made with it stay.',
  keywords: 'remove a signature template',
  auth: ['key', 'wallet'],
  params: TemplateParam,
  reply: { status: 200, schema: Type.Object({ deleted: Type.Boolean() }) },
  errors: OWNER_ERRORS,
  async handle({ caller, params }, { db }) {
    await deleteTemplate(db, caller.accountId, parseTemplateId(params.templateId))
    return { deleted: true }
  },
})
