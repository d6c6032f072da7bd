import { disturbance } from '../disturbance.ts'
import { killRole } from '../kill-role.ts'

export default disturbance({ weight: 2, disturb: (service, random) => killRole(service.apis, random) })
