import { Bar, Progress, ProgressProvider, useProgress } from "@bprogress/react";
import { useEffect } from "react";
import { useNavigation } from "react-router";

/** Specification 9: where the bar starts, and how often it creeps on. */
const PROGRESS_MINIMUM = 0.08;
const PROGRESS_TRICKLE_MS = 800;

const options = { minimum: PROGRESS_MINIMUM, trickleSpeed: PROGRESS_TRICKLE_MS, template: null };

/** The bar at the top of the window while a route loads, as `@bprogress/react` draws it. */
export default function NavigationProgress() {
  return (
    // `template: null`: the bar is our own element, since the library's would be set as a string of HTML, which Trusted Types forbid.
    <ProgressProvider disableStyle options={options}>
      <Progress className="bprogress" role="presentation" style={{ display: "none" }}>
        <Bar className="bar" />
      </Progress>
      <FollowNavigation />
    </ProgressProvider>
  );
}

function FollowNavigation() {
  const { start, stop } = useProgress();
  const loading = useNavigation().state !== "idle";
  useEffect(() => {
    if (!loading) return;
    // A route that is there at once needs no bar.
    start(0, 80);
    return () => stop();
  }, [loading, start, stop]);
  return null;
}
