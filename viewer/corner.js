// corner.js - where the small map is

const MOST_WIDTH = 150;
const LEAST_WIDTH = 44;
const BORDER = 14; // from the corner of the picture

// Its place on the screen; null: all of the graph is in view, or nearly.
export function cornerOf(camera, world) {
  const { view } = camera;
  if (camera.width <= 480 || camera.height <= 300 || (world.w <= view.w * 1.3 && world.h <= view.h * 1.3))
    return null;
  const most = Math.min(260, camera.height * 0.4);
  const scale = Math.min(MOST_WIDTH / world.w, most / world.h);
  const w = Math.round(Math.max(LEAST_WIDTH, world.w * scale));
  const h = Math.round(Math.max(LEAST_WIDTH, world.h * scale));
  return { x: camera.width - BORDER - w, y: camera.height - BORDER - h, w, h };
}
