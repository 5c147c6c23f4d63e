import { Bar, Progress, ProgressProvider, useProgress } from "@bprogress/react";
import { useEffect } from "react";
import { useNavigation } from "react-router";

export const PROGRESS_MINIMUM = 0.08;
export const PROGRESS_TRICKLE_MS = 800;

const options = { minimum: PROGRESS_MINIMUM, trickleSpeed: PROGRESS_TRICKLE_MS, template: null };

export default function NavigationProgress() {
  return (
    // `template: null` because the library sets its template as an HTML string, which Trusted Types forbid.
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
    start(0, 80);
    return () => stop();
  }, [loading, start, stop]);
  return null;
}
