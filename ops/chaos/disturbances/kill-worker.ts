import { killRole } from '../disturb-role.ts'
import { disturbance } from '../disturbance.ts'

export default disturbance({ weight: 2, disturb: (service, random) => killRole(service.workers, random) })
