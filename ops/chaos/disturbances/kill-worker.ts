import { disturbance } from '../disturbance.ts'
import { killRole } from '../kill-role.ts'

export default disturbance({ weight: 3, disturb: (service, random) => killRole(service.workers, random) })
